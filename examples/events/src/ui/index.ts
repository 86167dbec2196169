import { definePages } from '@pergola/console'
import Program from './program.vue'

// The path of each page in `definePlugin`, and its component.
export default definePages({ '': Program })
