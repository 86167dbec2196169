export { nearest } from '@pergola/api'
