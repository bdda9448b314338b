import { DAY } from '../../../../src/platform/clock.js';
import { answered, changed } from '../../../support/dashboard.js';
import type { Fields, Member, TestServer } from '../../../support/server.js';

export interface Schedule extends Fields {
  readonly id: string;
  readonly nextAt: string;
  readonly madeAt: string | null;
  readonly deliveredAt: string | null;
  readonly failure: string | null;
  readonly deliveryFailure: string | null;
}

const FIELDS = `id name kind weekday hour timeZone onlyNew nextAt madeAt deliveredAt failure deliveryFailure
  recipientIds webhook { url }`;
const CREATE = `mutation ($input: ExportScheduleCreateInput!) { exportScheduleCreate(input: $input) {
  exportSchedule { ${FIELDS} } userErrors { path code message } } }`;
export const EXPORT = { kind: 'DEVICES', format: 'SPREADSHEET', columns: ['serialNumber', 'enabled'] };

type Client = Pick<Member, 'graphql'>;

export const createSchedule = (member: Client, input: Fields) =>
  changed<{ exportSchedule: Schedule | null; userErrors: Fields[] }>(member, CREATE, {
    input: { name: 'Daily', hour: 8, timeZone: 'America/Sao_Paulo', export: EXPORT, ...input },
  });

export async function schedulesOf(member: Client): Promise<readonly Schedule[]> {
  return (await answered<{ exportSchedules: Schedule[] }>(member, `{ exportSchedules { ${FIELDS} } }`))
    .exportSchedules;
}

/** A day later, makes what is due. */
export async function aDayLater(server: TestServer): Promise<void> {
  server.clock.advance(DAY);
  await server.app.exportSchedules.run();
}
