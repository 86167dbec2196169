const actions = ['find', 'findOne', 'create', 'update']

module.exports = {
  register() {},
  /** Creates a token that may only use persons, and prints it at the first start. */
  async bootstrap({ strapi }) {
    const name = 'bench'
    if (await strapi.db.query('admin::api-token').findOne({ where: { name } })) return
    const { accessKey } = await strapi.service('admin::api-token').create({
      name,
      description: '',
      type: 'custom',
      lifespan: null,
      permissions: actions.map((action) => `api::person.person.${action}`),
    })
    console.log(`access key ${accessKey}`)
  },
}
