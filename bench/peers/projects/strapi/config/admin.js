module.exports = {
  serveAdminPanel: false,
  auth: { secret: 'secret-of-the-benchmark' },
  apiToken: { salt: 'salt-of-the-benchmark' },
  transfer: { token: { salt: 'salt-of-the-benchmark' } },
  secrets: { encryptionKey: 'key-of-the-benchmark-0123456789a' },
  flags: { nps: false, promoteEE: false },
}
