/**
 * Opens and closes alerts. What a read has measured is compared with the open alert again in the unit that writes, so that
 * neither another node nor a crash between the two doubles or loses an alert.
 */
import type { ReadWork, Units, WriteWork } from '../../../database/work.js';
import { MINUTE, SECOND, systemClock } from '../../../platform/clock.js';
import { isTemporary } from '../../../platform/errors.js';
import type { Mailer } from '../../../platform/mail.js';
import { type Caller, localCaller } from '../../../platform/requests.js';
import { type Alert, type AlertRule, CLOSED_AFTER_MS, type Measured } from './alert.model.js';
import { companiesWithRules, findOpen, ruleTable } from './alert.repository.js';
import { alertKinds, type AlertTools, changeAlert, openAlert } from './alert.service.js';

/** Companies whose rules are evaluated at the same time: a slow one holds one of these places. */
const COMPANIES_AT_ONCE = 4;
/** Time after which the other rules of a company wait for the next run. */
const COMPANY_MS = 5 * SECOND;

interface EvaluationTools extends AlertTools {
  readonly units: Units;
  readonly mail: Mailer;
  readonly isStopped: () => boolean;
  /** Gets the errors of single rules, which are evaluated again in the next run. */
  readonly onError: (error: unknown) => void;
}

/** Evaluates the rules of all companies once. */
export async function evaluateAlerts(tools: EvaluationTools): Promise<void> {
  const ids = await tools.units.systemRead(companiesWithRules);
  // Each place takes the next company of the shared iterator.
  const waiting = ids.values();
  const evaluateSome = async (): Promise<void> => {
    for (const companyId of waiting) await evaluateCompany(tools, companyId).catch(tools.onError);
  };
  await Promise.all(Array.from({ length: COMPANIES_AT_ONCE }, evaluateSome));
}

async function evaluateCompany(tools: EvaluationTools, companyId: number): Promise<void> {
  if (tools.isStopped()) return;
  const caller = localCaller({ companyId, userId: 0, timeZone: 'UTC' });
  const begun = systemClock.elapsed();
  const { rules, now } = await tools.units.read(caller, async (work) => ({
    rules: await ruleTable.select(work, {}),
    now: work.now,
  }));
  // Each run begins with another rule: where there is no time for all of them, each has its turn.
  const first = Math.floor(now.getTime() / MINUTE) % Math.max(1, rules.length);
  for (const rule of [...rules.slice(first), ...rules.slice(0, first)]) {
    if (tools.isStopped() || systemClock.elapsed() - begun > COMPANY_MS) return;
    await evaluateRule(tools, caller, rule).catch((error: unknown) => {
      if (!isTemporary(error)) tools.onError(error);
    });
  }
}

type Finding = Measured & Pick<Alert, 'examples' | 'figures'>;

/** Measures the condition of a rule, and changes its alert unless that stays as it is. */
async function evaluateRule(tools: EvaluationTools, caller: Caller, rule: AlertRule): Promise<void> {
  const { units, mail } = tools;
  const { condition } = rule;
  const kind = alertKinds.get(rule.kind);
  if (kind === undefined) throw new Error(`No wing has declared alerts of the kind ${rule.kind}`);
  const find = async (work: ReadWork): Promise<Finding | null> => {
    const measured = await kind.measure(work, condition, tools);
    if (stepOf(rule, await findOpen(work, rule.id), measured, work.now) === null) return null;
    const found = measured.isMet ? await kind.examples(work, condition, tools) : [];
    const figures = found.filter((each) => typeof each !== 'string');
    const examples = found.flatMap((each) => (typeof each === 'string' ? each : (each.name ?? [])));
    return { ...measured, examples, figures };
  };
  const found = await units.read(caller, find, { examines: true });
  if (found !== null) await units.write(caller, (work) => apply(work, mail, rule, found));
}

/**
 * The step for what was measured now; null if nothing changes. An alert opens once the threshold is reached, and closes
 * once it was not for `CLOSED_AFTER_MS`, so that a number that goes up and down does not open one alert after the other.
 */
function stepOf(
  { repeatAfter }: Pick<AlertRule, 'repeatAfter'>,
  open: Alert | undefined,
  { affected, total, isMet, isQuiet = false }: Measured,
  now: Date,
): 'opened' | 'repeated' | 'closed' | 'update' | null {
  if (open === undefined) return isMet && !isQuiet ? 'opened' : null;
  const { belowSince, sentAt, acknowledgedAt } = open;
  const hasPassed = (since: Date, ms: number): boolean => now.getTime() - since.getTime() >= ms;
  if (!isMet && belowSince !== null && hasPassed(belowSince, CLOSED_AFTER_MS)) return 'closed';
  const isRepeated = isMet && !isQuiet && repeatAfter !== null && acknowledgedAt === null;
  if (isRepeated && hasPassed(sentAt, repeatAfter)) return 'repeated';
  const isSame = affected === open.affected && total === open.total && isMet === (belowSince === null);
  return isSame ? null : 'update';
}

/** Changes the alert of a rule, unless the rule was changed since it was measured. */
async function apply(
  work: WriteWork,
  mail: Mailer,
  { id, revision }: AlertRule,
  found: Finding,
): Promise<void> {
  const rule = await ruleTable.findById(work, id);
  if (rule?.revision !== revision) return;
  const { now } = work;
  const open = await findOpen(work, id);
  const step = stepOf(rule, open, found, now);
  if (step === null) return;
  const { affected, total, examples, figures, isMet } = found;
  const changes = {
    affected,
    total,
    belowSince: isMet ? null : (open?.belowSince ?? now),
    ...(isMet && { examples, figures }),
    ...(step === 'closed' && { closedAt: now }),
    ...(step === 'repeated' && { sentAt: now }),
  };
  if (open === undefined) {
    await openAlert(work, rule, { affected, total, examples, figures }, mail);
  } else {
    await changeAlert(work, open, changes, step === 'update' ? undefined : { action: step, rule, mail });
  }
}
