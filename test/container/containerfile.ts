import { SETTINGS } from '../../src/platform/config/settings.js';

/** One instruction of a Containerfile; `stage` counts from 0, and is -1 before the first FROM. */
export interface Instruction {
  readonly name: string;
  /** The rest of the line, with continued lines joined. */
  readonly value: string;
  readonly stage: number;
}

const KNOWN = new Set(
  'ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN STOPSIGNAL USER VOLUME WORKDIR'.split(
    ' ',
  ),
);
/** Variables that Node reads. */
export const NODE_VARIABLES: readonly string[] = ['NODE_ENV', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'TZ'];
const SETTING_NAMES = new Set([...SETTINGS.map(({ name }) => name), ...NODE_VARIABLES]);

export function parseContainerfile(text: string): Instruction[] {
  const joined = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ');
  let stage = -1;
  return joined.split('\n').flatMap((line) => {
    const [, name = '', value = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === '') return [];
    if (name === 'FROM') stage += 1;
    return [{ name, value, stage }];
  });
}

/** Problems of a Containerfile, one sentence each. `exists` says whether the repository has a path. */
export function containerfileProblems(text: string, exists: (path: string) => boolean): string[] {
  const instructions = parseContainerfile(text);
  return [
    ...instructions
      .filter(({ name }) => !KNOWN.has(name))
      .map(({ name }) => `${name} is no known instruction`),
    ...imageProblems(instructions),
    ...copyProblems(instructions, exists),
    ...environmentProblems(instructions),
    ...finalStageProblems(instructions),
  ];
}

function imageProblems(instructions: readonly Instruction[]): string[] {
  const stages = new Set<string>();
  const problems: string[] = [];
  for (const { value } of instructions.filter(({ name }) => name === 'FROM')) {
    const [image = '', , stage] = value.split(/\s+/);
    if (!stages.has(image)) problems.push(...tagProblems(image));
    if (stage !== undefined) stages.add(stage);
  }
  return problems;
}

/** An image must have a tag or digest that says which version it is. */
export function tagProblems(image: string): string[] {
  const [, tag] = /:([\w.-]+)$/.exec(image) ?? [];
  if (image.includes('@sha256:') || (tag !== undefined && /\d/.test(tag))) return [];
  return /trixie|bookworm/.test(tag ?? '') ? [] : [`${image} has no tag of a version`];
}

function copyProblems(instructions: readonly Instruction[], exists: (path: string) => boolean): string[] {
  const stages = new Set(
    instructions.flatMap(({ name, value }) =>
      name === 'FROM' ? (/ AS (\S+)$/.exec(value)?.slice(1) ?? []) : [],
    ),
  );
  return instructions.flatMap(({ name, value }) => {
    if (name === 'ADD') return ['ADD can download and unpack: use COPY'];
    if (name !== 'COPY') return [];
    const words = value.split(/\s+/);
    const from = /^--from=(\S+)/.exec(words[0] ?? '')?.[1];
    if (from !== undefined) return stages.has(from) ? [] : [`COPY --from=${from}: there is no such stage`];
    const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1);
    return sources
      .filter((source) => source === '.' || !exists(source))
      .map((source) => `COPY ${source}: not a named path of the repository`);
  });
}

function environmentProblems(instructions: readonly Instruction[]): string[] {
  return instructions.flatMap(({ name, value }) => {
    if (name === 'ARG')
      return /secret|password|token/i.test(value) ? [`ARG ${value} stays in the image`] : [];
    if (name !== 'ENV') return [];
    const names = Array.from(value.matchAll(/(?:^|\s)(\w+)=/g), ([, variable = '']) => variable);
    if (names.length === 0) return [`ENV ${value} is not NAME=VALUE`];
    return names.flatMap((variable) => [
      ...(SETTING_NAMES.has(variable) ? [] : [`ENV ${variable} is no setting`]),
      ...(variable === 'TOKEN_SECRET' ? ['ENV TOKEN_SECRET stays in the image'] : []),
    ]);
  });
}

/** Problems of the last stage: missing or wrong instructions. */
function finalStageProblems(instructions: readonly Instruction[]): string[] {
  const last = instructions.at(-1)?.stage ?? -1;
  const final = instructions.filter(({ stage }) => stage === last);
  const valueOf = (wanted: string): string => final.findLast(({ name }) => name === wanted)?.value ?? '';
  const positionOf = (wanted: string): number => final.findLastIndex(({ name }) => name === wanted);
  const user = /^(\d+)(?::(\d+))?$/.exec(valueOf('USER'));
  return [
    ...(user === null || Number(user[1]) === 0 || Number(user[2]) === 0
      ? ['USER must be a number other than 0']
      : []),
    ...(positionOf('USER') > positionOf('ENTRYPOINT') ? ['USER comes after ENTRYPOINT'] : []),
    ...(isExecForm(valueOf('ENTRYPOINT')) ? [] : ['ENTRYPOINT must be a JSON list: a shell keeps signals']),
    ...(isExecForm(valueOf('CMD')) ? [] : ['CMD must be a JSON list']),
    ...(isExecForm(/ CMD (.*)$/.exec(valueOf('HEALTHCHECK'))?.[1])
      ? []
      : ['HEALTHCHECK with a JSON list is missing']),
    ...(valueOf('STOPSIGNAL') === 'SIGTERM' ? [] : ['STOPSIGNAL SIGTERM is missing']),
    ...(valueOf('EXPOSE') === '4000' ? [] : ['EXPOSE 4000 is missing']),
    ...(valueOf('VOLUME') === '/data' ? [] : ['VOLUME /data is missing']),
  ];
}

function isExecForm(value: string | undefined): boolean {
  try {
    const words: unknown = JSON.parse(value ?? '');
    return Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string');
  } catch {
    return false;
  }
}
