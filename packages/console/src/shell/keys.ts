import { searchKey } from './search-key.ts'

/** All keys of the console, in the order of the list of shortcuts; several keys are separated by spaces. */
export const keys = {
  search: searchKey,
  filter: '/',
  rows: 'J K',
  preview: 'Space',
  open: 'Enter',
  select: 'X',
  range: 'Shift X',
  new: 'N',
  save: 'Ctrl S',
  close: 'Esc',
  menu: '[',
  home: 'G H',
  plugins: 'G P',
  users: 'G U',
  list: '?',
} as const
