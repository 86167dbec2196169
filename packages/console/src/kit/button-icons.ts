import type { DisplayIcon } from '@pergola/api'
import { Check, Copy, Download, Pencil, Play, Plus, RefreshCw, Trash2, Undo2, Upload, X } from '@lucide/vue'
import type { Component } from 'vue'
import type { ActionIcon } from '../../kit.d.ts'
import { iconOf } from './icons.ts'

const actions: Readonly<Record<ActionIcon, Component>> = {
  check: Check,
  copy: Copy,
  download: Download,
  pencil: Pencil,
  play: Play,
  plus: Plus,
  refresh: RefreshCw,
  trash: Trash2,
  undo: Undo2,
  upload: Upload,
  x: X,
}

export function buttonIcon(name: DisplayIcon | ActionIcon): Component {
  return name in actions ? actions[name as ActionIcon] : iconOf(name as DisplayIcon)
}
