module.exports = { 'users-permissions': { config: { jwtSecret: 'secret-of-the-benchmark' } } }
