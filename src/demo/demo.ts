import { randomBytes } from 'node:crypto';

import type { Database } from '../database/open.js';
import type { Origin, WriteWork } from '../database/work.js';
import type { Role } from '../platform/caller.js';
import type { Clock } from '../platform/clock.js';
import { ensureDerivedTokens } from '../resources/access-token/derived-token.service.js';
import { ensureCompany } from '../resources/company/company.service.js';
import type { Company } from '../resources/company/company.model.js';
import type { Group } from '../resources/group/group.model.js';
import { createGroup } from '../resources/group/group.service.js';
import { recordTransactions } from '../resources/transaction/transaction.service.js';
import { createPasswords } from '../resources/user/password.service.js';
import { addUser } from '../resources/user/user.service.js';
import { COMPANY_PLANS, type CompanyPlan } from './catalog.js';
import { Activity } from './payments.js';
import { createRandom, type Random } from './random.js';
import { createGroupSettings, createOwnSettings, sendMessages } from './settings.js';
import { createSoftware } from './software.js';
import { actorOf, createStage, type Actor, type Stage } from './stage.js';
import { createTerminals, type Terminal } from './terminals.js';

/** Days of transactions; everything else is older. */
const DAYS = 30;
const OPENED = DAYS + 15;
const ORIGIN: Origin = { channel: 'api', ip: null, requestId: null };
const ROLES: readonly Role[] = ['admin', 'operator', 'viewer'];

/** What somebody needs to look around in the demo. */
export interface Demo {
  readonly company: string;
  /** Of the administrator of that company. */
  readonly token: string;
  readonly emails: readonly string[];
  /** Of all of them; drawn anew each time, like the token. */
  readonly password: string;
  /** A group that has settings of its own. */
  readonly group: string;
}

/** A believable fleet in an empty database: the same for the same seed, but for times and secrets. */
export async function createDemo(
  database: Database,
  clock: Clock,
  { seed, tokenSecret }: { readonly seed: number; readonly tokenSecret: string },
): Promise<Demo> {
  const stage = createStage(database, clock, createRandom(seed));
  const password = randomBytes(12).toString('base64url');
  const passwordHash = await createPasswords().hash(password);
  const companies = [];
  for (const plan of COMPANY_PLANS) {
    const members = await openCompany(stage, plan, passwordHash);
    const actor = actorOf(stage, { ...members, timeZone: plan.timeZone });
    const groups = await fill(stage, plan, actor);
    companies.push({ ...members, plan, groups });
  }
  const [{ companyId, userId, plan, groups } = never()] = companies;
  const tokens = await stage
    .at(0)
    .systemWrite(ORIGIN, (work) =>
      ensureDerivedTokens(work, tokenSecret, { userId, companyIds: [companyId] }),
    );
  return {
    company: plan.name,
    token: tokens.get(companyId) ?? never(),
    emails: companies.flatMap((company) => ROLES.map((role) => emailOf(company.plan, role))),
    password,
    group: groups[0]?.name ?? never(),
  };
}

function never(): never {
  throw new Error('The demo has no company');
}

const emailOf = (plan: CompanyPlan, role: Role): string => `${role}@${plan.domain}`;

/** The company with a user of each role; who acts for it is the administrator. */
async function openCompany(
  stage: Stage,
  plan: CompanyPlan,
  passwordHash: string,
): Promise<{ companyId: number; userId: number }> {
  return await stage.at(OPENED).systemWrite(ORIGIN, async (work) => {
    const company: Company = await ensureCompany(work, { name: plan.name });
    const ids: number[] = [];
    for (const role of ROLES) {
      const input = {
        email: emailOf(plan, role),
        name: `${role.charAt(0).toUpperCase()}${role.slice(1)} of ${plan.name}`,
        role,
        timeZone: plan.timeZone,
      };
      ids.push((await addUser(work, company, input, passwordHash)).id);
    }
    return { companyId: company.id, userId: ids[0] ?? never() };
  });
}

async function fill(stage: Stage, plan: CompanyPlan, actor: Actor): Promise<readonly Group[]> {
  const { random } = stage;
  const groups = await actor.write(OPENED - 1, (work) => createGroups(work, random, plan));
  const software = await actor.write(OPENED - 2, (work) => createSoftware(work, random, plan, groups), 'api');
  const terminals = await actor.write(
    OPENED - 4,
    (work) => createTerminals(work, random, plan, { groups, software }),
    'api',
  );
  await actor.write(OPENED - 5, async (work) => {
    for (const terminal of terminals) {
      if (random.chance(0.25)) await createOwnSettings(work, random, terminal);
    }
  });
  await play(stage, plan, actor, { groups, terminals });
  return groups;
}

async function createGroups(work: WriteWork, random: Random, plan: CompanyPlan): Promise<readonly Group[]> {
  const groups: Group[] = [];
  for (const name of plan.groups) {
    const group = await createGroup(work, { name });
    await createGroupSettings(work, random, plan, group);
    groups.push(group);
  }
  return groups;
}

/** Day by day: what terminals did, and a message every week. */
async function play(
  { random, now }: Stage,
  plan: CompanyPlan,
  actor: Actor,
  { groups, terminals }: { readonly groups: readonly Group[]; readonly terminals: readonly Terminal[] },
): Promise<void> {
  const activity = new Activity(random, plan, terminals);
  const average = plan.transactions / DAYS;
  for (let daysAgo = DAYS - 1; daysAgo >= 0; daysAgo -= 1) {
    const share = random.whole(80, 120) / 100;
    await actor.write(
      daysAgo,
      async (work) => {
        await recordTransactions(work, activity.day(work.now, Math.round(average * share)));
        if (daysAgo % 7 === 1) await sendMessages(work, random, groups, terminals);
      },
      'api',
    );
  }
  await actor.write(0, (work) => recordTransactions(work, activity.running(now, 3)), 'api');
}
