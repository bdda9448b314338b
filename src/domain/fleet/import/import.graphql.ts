import * as g from '../../../graphql/index.js';
import { warningOfCardData } from '../../../platform/card-data/card-data.js';
import { isTurnOver, yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { warningOfShortened } from '../../../platform/encoding/csv.js';
import type { Json } from '../../../platform/encoding/json.js';
import { DomainError, invalid, type Refusal } from '../../../platform/errors.js';
import { requireScope } from '../../../platform/requests.js';
import { JobType } from '../../base/job/job.graphql.js';
import { type Job, MAX_JOB_ROWS } from '../../base/job/job.model.js';
import { refusalOf, startJob } from '../../base/job/job.service.js';
import { FieldChangeType } from '../../base/ledger/ledger.graphql.js';
import { type CheckedRow, type ImportRow, rowsIn } from './import.model.js';
import { FLEET_IMPORT, type ImportMode, planImport, type Planned } from './import.service.js';
import { type ImportAction, previewOf, type PreviewRow } from './preview.service.js';

const Mode = g.enumeration<ImportMode>(
  'FleetImportMode',
  'Whether an import may change records that exist.',
  {
    CREATE: 'Rows of devices that exist are refused, and of logical numbers in another group.',
    CREATE_OR_UPDATE: 'Rows of devices that exist change them; absent values stay as they are.',
  },
);

const FleetImportInput = g.inputType('FleetImportInput', 'A file with devices.', {
  file: g.upload(
    `CSV with commas, semicolons or tabs, whose first line names the columns; NDJSON; or a list of serial numbers, one a line. UTF-8, at most ${MAX_JOB_ROWS} rows. Columns: serial_number, logical_number (created if it does not exist), group (a name that exists), enabled (true or false), tags (words), notes, and for the logical number merchant_name, merchant_address, number_tags, number_notes, parameters (a JSON object of values by key). An empty cell keeps the value. A cell with a hyphen alone clears it, in columns of tags, notes and merchants; in NDJSON null does, and [] for tags.`,
  ),
  mode: { ...g.choice.orNull(Mode, 'Whether records that exist may be changed.'), defaultValue: 'CREATE' },
  errorPolicy: {
    ...g.choice.orNull(g.BulkErrorPolicy, 'What a row with an error does to the other rows.'),
    defaultValue: 'REJECT_EVERYTHING',
  },
  issueTokens: {
    ...g.flag.orNull(
      'Whether the devices that have no token get one, in `result` of the job. Requires the scope ADMIN.',
    ),
    defaultValue: false,
  },
  force: g.FORCE,
});

const RefusedRow = g.objectType<Refused, 'code' | 'rule' | 'params'>(
  'FleetImportResult',
  'A row of a file that cannot be imported.',
  {
    line: g.int('Its first line in the file, from 1.'),
    serialNumber: g.text.orNull('Its serial number as the file has it. Null if the row has none.'),
    message: g.text('What is wrong with it.'),
  },
);

const Action = g.enumeration<ImportAction>('FleetImportAction', 'What a row does with its device.', {
  create: 'It creates the device.',
  update: 'It changes the device, or its logical number.',
  none: 'It changes nothing.',
});

const PreviewType = g.objectType<PreviewRow>(
  'FleetImportRow',
  'A row of a file, with what it would change.',
  {
    line: g.int('Its first line in the file, from 1.'),
    serialNumber: g.text('Its serial number.'),
    action: g.choice(Action, 'What it does with its device.'),
    createsNumber: g.flag('Whether its logical number does not exist yet, and is created.'),
    changes: g.object.list(
      FieldChangeType,
      'The values that it changes, by columns in camel case: `group` has the name of the group, `parameters.host` the parameter host, `numberTags` the tags of the logical number.',
    ),
  },
);

interface Refused extends Refusal {
  readonly line: number;
  readonly serialNumber: string | null;
}

const MAX_REFUSED = 1_000;
const MAX_PREVIEW = 100;
const MAX_WARNINGS = 100;
/** Rows that are compared with the records at a time. */
const ROWS_PER_PLAN = 1_000;

const Payload = g.payloadType('FleetImport', {
  job: g.object.orNull(
    JobType,
    'The job that imports the rows. Null with dryRun, if nothing is imported, and after an error.',
  ),
  count: g.int.orNull('Rows without an error. Null after an error.'),
  refusedCount: g.int.orNull('Rows with an error. Null after an error.'),
  refused: g.nullable(
    g.object.list(RefusedRow, `The first ${MAX_REFUSED} rows with an error. Null after an error.`),
  ),
  preview: g.nullable(
    g.object.list(
      PreviewType,
      `What the first ${MAX_PREVIEW} rows without an error would change, as long as nobody else changes it. Null without dryRun.`,
    ),
  ),
});

/** Rows that may be imported, the first of them with their plans, and the refused ones, each in the order of their lines. */
interface Checked {
  readonly accepted: readonly (ImportRow & { readonly line: number })[];
  readonly planned: readonly (Planned & { readonly line: number })[];
  readonly refused: readonly Refused[];
  readonly warnings: readonly string[];
}

const fleetImport = g.mutation('fleetImport', {
  field: g.object(
    Payload,
    'Creates or changes devices, with their logical numbers and parameters, from a file, in the background. All rows are checked first; with REJECT_EVERYTHING, one row with an error imports nothing.',
  ),
  args: {
    input: g.object(FleetImportInput, 'The file, and what to do with it.'),
    dryRun: g.TARGET_ARGS.dryRun,
  },
  resolve: async (_source, ctx, { input, dryRun }) => {
    requireScope(ctx.caller, 'write');
    const { file, errorPolicy, issueTokens, force } = input;
    const mode = input.mode ?? 'CREATE';
    if (issueTokens === true) requireScope(ctx.caller, 'admin');
    // The file is read before the unit of work begins.
    const sent = g.findSentFile(file);
    const rows = sent && (await rowsIn(ctx.contents.sent(sent)).catch(asProblem));
    let checked: Checked = { accepted: [], planned: [], refused: [], warnings: [] };
    let preview: readonly PreviewRow[] | null = null;
    return await ctx.changeInParts(
      async (work) => {
        if (rows === undefined) throw invalid('file', 'must be an uploaded file, not null');
        if (rows instanceof DomainError) throw rows;
        checked = await check(rows, (part) => planImport(work, { mode, force: force === true }, part));
        const { accepted, refused } = checked;
        if (dryRun === true) preview = await previewOf(work, checked.planned);
        const isStopped = refused.length > 0 && errorPolicy === 'REJECT_EVERYTHING';
        if (dryRun === true || isStopped || accepted.length === 0) return [];
        const given = {
          kind: FLEET_IMPORT,
          input: { mode, force: force === true, ...(issueTokens === true && { issueTokens }) },
          rows: accepted as readonly Json[],
        };
        return [(later) => startJob(later, given)];
      },
      ([job]: readonly Job[]) => ({
        ...(job && { job, warnings: checked.warnings }),
        count: checked.accepted.length,
        refusedCount: checked.refused.length,
        refused: checked.refused.slice(0, MAX_REFUSED),
        preview,
      }),
      ['input'],
    );
  },
});

export const fleetImportGraphql = g.graphqlModule(fleetImport, g.fields(RefusedRow, g.refusalFields));

function asProblem(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  throw error;
}

type Plan = (rows: readonly ImportRow[]) => Promise<readonly (Planned | DomainError)[]>;

async function check(rows: readonly CheckedRow[], plan: Plan): Promise<Checked> {
  const accepted: Checked['accepted'][number][] = [];
  const planned: Checked['planned'][number][] = [];
  const refused: Refused[] = [];
  const warnings: string[] = [];
  for (let start = 0; start < rows.length; start += ROWS_PER_PLAN) {
    const part = rows.slice(start, start + ROWS_PER_PLAN);
    const valid = part.flatMap(({ row }) => (row instanceof DomainError ? [] : [row]));
    const plans = (await plan(valid)).values();
    for (const { line, serialNumber: given, row } of part) {
      const result = row instanceof DomainError ? row : plans.next().value;
      if (result instanceof DomainError) refused.push({ line, serialNumber: given, ...refusalOf(result) });
      else {
        const { parameters, serialNumber, logicalNumber } = row as ImportRow;
        accepted.push({ ...(row as ImportRow), line });
        if (planned.length < MAX_PREVIEW && result !== undefined && 'row' in result)
          planned.push({ ...result, line });
        const found = {
          parameters: warningOfCardData(parameters),
          serial_number: warningOfShortened(serialNumber),
          logical_number: warningOfShortened(logicalNumber),
        };
        for (const [field, warning] of Object.entries(found)) {
          if (warning !== undefined && warnings.length < MAX_WARNINGS)
            warnings.push(`line ${line}, ${field}: ${warning}`);
        }
        if (isTurnOver()) await yieldToEventLoop();
      }
    }
    await yieldToEventLoop();
  }
  return { accepted, planned, refused, warnings };
}
