import { randomBytes } from 'node:crypto';

import type { Database } from '../database/database.js';
import { createUnits } from '../database/units.js';
import type { Units, WriteWork } from '../database/work.js';
import type { Group } from '../domain/fleet/group/group.model.js';
import { recordEach } from '../domain/payments/transaction/recording/transaction-recording.service.js';
import { createNamedToken, ensureDerivedTokens } from '../domain/people/access-token/access-token.service.js';
import { changeCompany } from '../domain/people/company/company.service.js';
import { createPasswords } from '../domain/people/user/password.service.js';
import { addCompanyWithUser, addUser } from '../domain/people/user/user.service.js';
import { type Clock, DAY } from '../platform/clock.js';
import { createRandom, type Random } from '../platform/random.js';
import { localCaller, LOCAL_ORIGIN, type Caller, type Role } from '../platform/requests.js';
import { COMPANY_PLANS, type CompanyPlan } from './catalog.js';
import * as fleet from './fleet.js';
import { type ReportedTransaction, TransactionGenerator } from './transactions.js';

/** Days of transactions; all other records are older. */
const HISTORY_DAYS = 30;
const COMPANY_AGE = HISTORY_DAYS + 15;
const GATEWAY = { name: 'gateway', scopes: ['read', 'write', 'terminals'] };
const ROLES: readonly Role[] = ['admin', 'operator', 'viewer'];

/** Credentials and names that a visitor needs to use the demo. */
export type Demo = Awaited<ReturnType<typeof createDemo>>;

export interface DemoRequest {
  readonly seed: number;
  readonly tokenSecret: string;
  /** Called with the number of days recorded so far and the total number of days. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Writes records of the past: the services run as usual, with a clock that is some days behind. */
interface Timeline {
  readonly random: Random;
  readonly now: Date;
  /** Units of work whose clock stands still `daysAgo` days before `now`. */
  readonly at: (daysAgo: number) => Units;
  readonly onDay: () => void;
}

/** Fills an empty database with two companies: for a seed always the same but for times and secrets. */
export async function createDemo(
  database: Database,
  clock: Clock,
  { seed, tokenSecret, onProgress }: DemoRequest,
) {
  let days = 0;
  const onDay = (): void => onProgress?.((days += 1), COMPANY_PLANS.length * HISTORY_DAYS);
  const now = clock.now();
  const at = (daysAgo: number): Units => {
    const then = new Date(now.getTime() - daysAgo * DAY);
    return createUnits(database, { ...clock, now: () => then });
  };
  const timeline: Timeline = { random: createRandom(seed), now, at, onDay };
  const password = randomBytes(12).toString('base64url');
  const passwordHash = await createPasswords().hash(password);
  const companies = [];
  for (const plan of COMPANY_PLANS) {
    const admin = await createCompany(timeline, plan, passwordHash);
    const caller = localCaller({ ...admin, timeZone: plan.timeZone });
    await timeline.at(COMPANY_AGE).write(caller, (work) => changeCompany(work, { currency: plan.currency }));
    companies.push({ ...admin, plan, groups: await createFleet(timeline, plan, caller) });
  }
  const [{ companyId, userId, plan, groups } = missing()] = companies;
  const { tokens, gateway } = await timeline.at(0).systemWrite(LOCAL_ORIGIN, async (work) => ({
    tokens: await ensureDerivedTokens(work, tokenSecret, { userId, companyIds: [companyId] }),
    gateway: await createNamedToken(work, { companyId, userId }, GATEWAY),
  }));
  return {
    company: plan.name,
    /** The administrator of the company, and an API token of that user. */
    userId,
    token: tokens.get(companyId) ?? missing(),
    /** API token that can also act for the terminals of the company. */
    gatewayToken: gateway.secret,
    emails: companies.flatMap((company) => ROLES.map((role) => emailOf(company.plan, role))),
    /** Password of all users; random for each demo. */
    password,
    /** Name of a group that has parameters. */
    group: groups[0]?.name ?? missing(),
  };
}

function missing(): never {
  throw new Error('The demo has no company');
}

const emailOf = (plan: CompanyPlan, role: Role): string => `${role}@${plan.domain}`;

/** Creates a company with one user of each role; returns its id and that of the administrator. */
async function createCompany(timeline: Timeline, plan: CompanyPlan, passwordHash: string) {
  return await timeline.at(COMPANY_AGE).systemWrite(LOCAL_ORIGIN, async (work) => {
    const admin = personOf(plan, 'admin');
    const { company, user } = await addCompanyWithUser(work, plan.name, admin, passwordHash);
    for (const role of ROLES.filter((each) => each !== 'admin')) {
      await addUser(work, company, personOf(plan, role), passwordHash);
    }
    return { companyId: company.id, userId: user.id };
  });
}

function personOf(plan: CompanyPlan, role: Role) {
  const title = `${role.charAt(0).toUpperCase()}${role.slice(1)}`;
  return { email: emailOf(plan, role), name: `${title} of ${plan.name}`, role, timeZone: plan.timeZone };
}

/** Groups and settings are made in the console by `caller`, all else by a program with their token. */
async function createFleet(timeline: Timeline, plan: CompanyPlan, caller: Caller): Promise<readonly Group[]> {
  const { random, at } = timeline;
  const inConsole = { ...caller, channel: 'interface' } as const;
  const make = <T>(daysAgo: number, by: Caller, use: (making: fleet.Making) => Promise<T>): Promise<T> =>
    at(daysAgo).write(by, (work) => use({ work, random, plan }));
  const groups = await make(COMPANY_AGE - 1, inConsole, fleet.createGroups);
  const software = await make(COMPANY_AGE - 2, caller, (making) => fleet.createSoftware(making, groups));
  const terminals = await make(COMPANY_AGE - 4, caller, (making) =>
    fleet.createTerminals(making, groups, software),
  );
  await make(0, caller, (making) => fleet.createPresence(making, terminals));
  await make(COMPANY_AGE - 5, inConsole, (making) => fleet.createTerminalSettings(making, terminals));
  await createHistory(timeline, plan, caller, { groups, terminals });
  return groups;
}

/** Records the transactions of each day, two notifications a week, and three unfinished transactions. */
async function createHistory(
  { random, now, at, onDay }: Timeline,
  plan: CompanyPlan,
  caller: Caller,
  { groups, terminals }: { readonly groups: readonly Group[]; readonly terminals: readonly fleet.Terminal[] },
): Promise<void> {
  const generator = new TransactionGenerator(random, plan, terminals);
  const average = plan.transactions / HISTORY_DAYS;
  for (let daysAgo = HISTORY_DAYS - 1; daysAgo >= 0; daysAgo -= 1) {
    const share = random.whole(80, 120) / 100;
    await at(daysAgo).write(caller, async (work) => {
      await recordAll(work, generator.day(work.now, Math.round(average * share)));
      if (daysAgo % 7 === 1) await fleet.sendNotifications({ work, random, plan }, groups, terminals);
    });
    onDay();
  }
  await at(0).write(caller, (work) => recordAll(work, generator.running(now, 3)));
}

async function recordAll(work: WriteWork, records: readonly ReportedTransaction[]): Promise<void> {
  for (const { problem } of await recordEach(work, records)) if (problem !== null) throw problem;
}

/** Three curl commands that call `/v1`, to paste into a shell. */
export function demoCommands(url: string, { token, group }: Demo, now: Date): readonly string[] {
  const yesterday = new Date(now.getTime() - DAY).toISOString().slice(0, 10);
  const call = (path: string): string => `curl -s '${url}/v1/${path}access_token=${token}'`;
  return [
    call(`transactions?transaction_type=switch&status=success&since=${yesterday}&per_page=3&`),
    call('devices?per_page=3&'),
    `${call('parameters?')} -X GET -d '${JSON.stringify({ name: group })}'`,
  ];
}
