/** Name of the fragment without its ending, such as `App`, the ending, and the type of its records. */
function partsOf(fragment: string) {
  const [, name = '', ending = '', type = ''] = /fragment (\w+?)(Row|Record) on (\w+)/.exec(fragment) ?? [];
  return { name, ending, type };
}

/** Type of the records in the API: `AppVersion`. */
export const typeOf = (fragment: string): string => partsOf(fragment).type;

/** Type of the records as the ledger has it: `APP_VERSION`. */
export function kindOf(fragment: string): string {
  return typeOf(fragment)
    .replaceAll(/\B[A-Z]/g, '_$&')
    .toUpperCase();
}

/** Lists with names of their own, and the types of the records that they are a part of: `Device.commands` has another name. */
const LISTS: Readonly<Record<string, readonly [list: string, ...types: string[]]>> = {
  DeviceLog: ['logs', 'Device'],
  JobRejection: ['rejections', 'Job'],
  LedgerEntry: ['ledger'],
  Member: ['members', 'Company'],
  NotificationDelivery: ['deliveries', 'Notification', 'Device', 'LogicalNumber'],
  RolloutTerminal: ['terminals', 'Rollout'],
  TerminalCommand: ['terminals', 'Command', 'Device.commands'],
  TerminalSoftware: ['terminals', 'AppVersion'],
};

/** Asks for a page of the list that has such records; the first page with their count. */
export function listQuery(fragment: string): string {
  const { name, ending, type } = partsOf(fragment);
  const [list, ...types] = LISTS[type] ?? [`${type.slice(0, 1).toLowerCase()}${type.slice(1)}s`];
  // Lists of terminals of a version have one order.
  const [orderBy, order] =
    type === 'TerminalSoftware' ? ['', ''] : [', orderBy: $orderBy', `$orderBy: ${type}Order,`];
  const pageOf = (own: string) => `
      ${own}(first: $first, after: $after, filter: $filter${orderBy}) {
        totalCount @include(if: $count)
        pageInfo { hasNextPage endCursor }
        nodes { ...${name}${ending} }
      }`;
  const inRecord = types
    .map((each) => each.split('.'))
    .map(([of, own = list]) => `... on ${of} { ${pageOf(own)} }`)
    .join(' ');
  const id = types.length > 0 ? ', $id: ID!' : '';
  return `
    query ${name}List(
      $first: Int!, $after: String, $filter: ${type}Filter, ${order} $count: Boolean!${id}
    ) {
      ${types.length > 0 ? `node(id: $id) { ${inRecord} }` : pageOf(list)}
    }
    ${fragment}`;
}

/** Asks for one record by its id. */
export function recordQuery(fragment: string): string {
  const { name, ending } = partsOf(fragment);
  return `
    query ${name}Record($id: ID!) {
      node(id: $id) { ...${name}${ending} }
    }
    ${fragment}`;
}
