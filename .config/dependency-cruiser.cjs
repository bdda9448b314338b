/** The direction of imports: see src/README.md, "Who may import whom". */
const layers = {
  platform: '^src/platform/',
  model: '^src/resources/.+[.]model[.]ts$',
  rules: '^src/resources/.+[.]rules[.]ts$',
  database: '^src/database/',
  repository: '^src/resources/.+[.]repository[.]ts$',
  service: '^src/resources/.+[.]service[.]ts$',
  rest: '^src/resources/.+[.]rest[.]ts$',
  loaders: '^src/resources/.+[.]loaders[.]ts$',
  graphql: '^src/resources/.+[.]graphql[.]ts$',
};
const not = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });
const only = (name, from, allowed) =>
  not(name, { path: from }, { path: '^src/', pathNot: allowed }, `${name}: may import nothing else of src`);

module.exports = {
  forbidden: [
    not('no-circular', {}, { circular: true }, 'Modules never form a cycle.'),
    not('no-orphans', { orphan: true, path: '^src/', pathNot: 'boot[.]ts$' }, {}, 'Every module is used.'),
    only('platform', layers.platform, [layers.platform]),
    only('model', layers.model, [layers.platform, layers.model]),
    only('rules', layers.rules, [layers.platform, layers.model, layers.rules]),
    only('database', layers.database, [layers.platform, layers.model, layers.database]),
    only('repository', layers.repository, [layers.platform, layers.model, layers.database]),
    only('service', layers.service, [
      layers.platform,
      layers.model,
      layers.rules,
      layers.database,
      layers.repository,
      layers.service,
    ]),
    only('rest-files', layers.rest, [
      layers.platform,
      layers.model,
      layers.database,
      layers.service,
      layers.rest,
      '^src/rest/index[.]ts$',
    ]),
    only('loaders', layers.loaders, [layers.platform, layers.model, layers.database, layers.service]),
    only('graphql-files', layers.graphql, [
      layers.platform,
      layers.model,
      layers.service,
      layers.loaders,
      layers.graphql,
      '^src/graphql/(schema|http|execution)/',
    ]),
    only('graphql-server', '^src/graphql/', [
      layers.platform,
      layers.model,
      layers.database,
      layers.service,
      layers.graphql,
      '^src/(graphql|http)/',
    ]),
    not(
      'graphql-in-its-place',
      { path: '^src/', pathNot: ['^src/graphql/', '^src/app/', layers.graphql, layers.loaders] },
      { path: 'node_modules/(graphql|graphql-[^/]+|type-graphql|dataloader|@apollo)/' },
      'GraphQL is known to *.graphql.ts, *.loaders.ts and graphql/ only.',
    ),
    only('demo', '^src/demo/', [
      layers.platform,
      layers.model,
      layers.database,
      layers.service,
      '^src/demo/',
    ]),
    not(
      'private-repository',
      { path: '^src/resources/([^/]+)/' },
      { path: '^src/resources/.+[.](repository|rules)[.]ts$', pathNot: '^src/resources/$1/' },
      "A repository and rules are private to their resource's folder.",
    ),
    not(
      'no-repository-outside',
      { path: '^src/', pathNot: '^src/resources/' },
      { path: '[.](repository|rules)[.]ts$' },
      'Only a service may use a repository.',
    ),
    not(
      'kysely-in-repositories',
      { path: '^src/', pathNot: [layers.repository, layers.database] },
      { path: 'node_modules/kysely' },
      'Kysely lives in repositories and database/ only.',
    ),
    not(
      'domain-without-transport',
      { path: '^src/(platform|database)/|[.](model|rules|repository|service)[.]ts$' },
      { path: 'node_modules/(express|graphql|type-graphql|dataloader)/' },
      'The domain knows no transport.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
