/** Where a CPU profile of V8 says that time went. */
interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

export interface Profile {
  readonly nodes: readonly ProfileNode[];
  /** The node that ran at each sample. */
  readonly samples: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[];
}

export interface SelfTime {
  readonly name: string;
  /** Share of the total processor time, from 0 to 1. */
  readonly share: number;
}

/** Self time by package (or folder of this program), and by function; the largest first. */
export function selfTimes({ nodes, samples, timeDeltas }: Profile): {
  readonly packages: readonly SelfTime[];
  readonly functions: readonly SelfTime[];
} {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const packages = new Map<string, number>();
  const functions = new Map<string, number>();
  samples.forEach((id, index) => {
    const frame = byId.get(id)?.callFrame;
    if (frame === undefined || frame.functionName === '(idle)') return;
    const time = Math.max(0, timeDeltas[index] ?? 0);
    add(packages, packageOf(frame), time);
    add(functions, `${frame.functionName || '(anonymous)'} ${placeOf(frame)}`, time);
  });
  return { packages: sharesOf(packages), functions: sharesOf(functions) };
}

function add(times: Map<string, number>, name: string, time: number): void {
  times.set(name, (times.get(name) ?? 0) + time);
}

function sharesOf(times: ReadonlyMap<string, number>): SelfTime[] {
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .map(([name, time]) => ({ name, share: total === 0 ? 0 : time / total }))
    .toSorted((one, other) => other.share - one.share);
}

/** For example `kysely`, `node:net`, `src/graphql`, or `(garbage collector)`. */
function packageOf({ functionName, url }: ProfileNode['callFrame']): string {
  if (functionName === '(garbage collector)' || functionName === '(program)') return functionName;
  const [, module] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (module !== undefined) return module;
  const [, folder] = /\/dist\/([^/]+)\//.exec(url) ?? [];
  if (folder !== undefined) return `src/${folder}`;
  return url.startsWith('node:') ? url : 'functions of V8';
}

function placeOf({ url, lineNumber }: ProfileNode['callFrame']): string {
  return url === '' ? '' : `${url.replace(/^.*?\/(?=node_modules\/|dist\/)/, '')}:${lineNumber + 1}`;
}
