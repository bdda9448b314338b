/**
 * Makes the rules of layers.cjs into those of dependency-cruiser: what no `allowed` rule names is an error. Besides,
 * wings of the domain import down only, and no two of its folders import each other.
 */
const { layers, wings } = require('./layers.cjs');

// Without its parser of TypeScript, dependency-cruiser would find no imports and report no error.
require.resolve('@swc/core');

const orNone = (patterns) => (patterns.length === 0 ? {} : { pathNot: patterns });

/** Matches the files of a layer, and not those that an earlier layer takes. */
function filesOf(name) {
  const index = layers.findIndex((layer) => layer.name === name);
  if (index === -1) throw new Error(`There is no layer ${name}`);
  return { path: layers[index].files, ...orNone(layers.slice(0, index).map((layer) => layer.files)) };
}

const inResource = (name, resource) =>
  filesOf(name).path.replace('^src/domain/.+', `^src/domain/${resource}/.*`);
const packagePath = (name) => `node_modules/${name}/`;
const exactly = (name) => `^${name}$`;

function allowedFor({ name, src = [], own = [], packages = [], node = [] }) {
  const from = filesOf(name);
  const fromResource = { ...from, path: inResource(name, '([^/]+/[^/]+)') };
  const others = [...packages.map(packagePath), ...node.map(exactly)];
  return [
    ...src.map((layer) => ({ from, to: filesOf(layer) })),
    ...own.map((layer) => ({ from: fromResource, to: { path: inResource(layer, '$1') } })),
    ...(others.length === 0 ? [] : [{ from, to: { path: others } }]),
  ];
}

const inWings = (names) => `^src/domain/(?:${names.join('|')})/`;
const upwards = wings.slice(1).map((wing, index) => ({
  ...{ name: `no-import-up-from-${wing}`, severity: 'error' },
  ...{ from: { path: inWings([wing]) }, to: { path: inWings(wings.slice(0, index + 1)) } },
}));
const unlisted = { path: '^src/domain/', pathNot: inWings(wings) };
const resource = { path: '^src/domain/[^/]+/[^/]+$' };

module.exports = {
  forbidden: [
    ...upwards,
    { name: 'no-unlisted-wing', severity: 'error', from: unlisted, to: {} },
    {
      ...{ name: 'no-circular-resources', severity: 'error', scope: 'folder' },
      ...{ from: resource, to: { path: '^src/domain/', circular: true } },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, path: '^src/' }, to: {} },
  ],
  allowed: layers.flatMap(allowedFor),
  allowedSeverity: 'error',
  options: {
    doNotFollow: { path: 'node_modules' },
    // Generated.
    exclude: { path: '^src/console/gql/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
