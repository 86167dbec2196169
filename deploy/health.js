// The health check of the image: node health.js /livez. Tries https if the server does not speak http.
import http from 'node:http'
import https from 'node:https'

const [path = '/livez'] = process.argv.slice(2)
const end = ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)
// The certificate is for the public address.
const askByHttps = () =>
  https.get(`https://127.0.0.1:8090${path}`, { rejectUnauthorized: false }, end).on('error', () => process.exit(1))
http.get(`http://127.0.0.1:8090${path}`, end).on('error', askByHttps)
