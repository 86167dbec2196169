import theme from 'vitepress/theme-without-fonts'
import './style.css'

/** Nothing but colours and measures of our own. */
export default theme
