import type { WriteWork } from '../../../database/work.js';
import type { Mailer } from '../../../platform/mail.js';
import { users } from '../../people/user/user.service.js';
import type { Alert, AlertRule } from './alert.model.js';

/** Beginnings of the subjects, in English and in Portuguese. */
const SUBJECTS = {
  opened: 'Alert / Alerta',
  repeated: 'Alert, still open / Alerta, ainda aberto',
  closed: 'Alert closed / Alerta encerrado',
};

/** E-mails an alert to the members whom its rule names, after the commit; not to disabled ones. */
export async function mailAlert(
  work: WriteWork,
  mail: Mailer,
  { name, affected, total, examples, openedAt, closedAt }: Alert,
  action: keyof typeof SUBJECTS,
  { recipientIds }: AlertRule,
): Promise<void> {
  if (!mail.isOn || recipientIds.length === 0) return;
  const members = await users.byIds(work, recipientIds);
  const lines = [
    name,
    `Affected / Afetados: ${affected}${total === null ? '' : ` / ${total}`}`,
    `Examples / Exemplos: ${examples.join(', ')}`,
    `Opened / Aberto: ${openedAt.toISOString()}`,
    ...(closedAt === null ? [] : [`Closed / Encerrado: ${closedAt.toISOString()}`]),
    `${mail.publicUrl}/console`,
  ];
  const letter = { subject: `${SUBJECTS[action]}: ${name}`, text: `${lines.join('\n')}\n` };
  work.afterCommit(() => {
    for (const { email, disabledAt } of members.values()) {
      if (disabledAt === null) mail.send({ to: email, ...letter });
    }
  });
}
