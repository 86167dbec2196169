import { definePages } from '@pergola/console'
import Open from './open.vue'

// The path of each page in `definePlugin`, and its component.
export default definePages({ '': Open })
