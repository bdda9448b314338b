import { specialSql } from '../../../../database/company/special-sql.js';
import { comparedInstant, instant, nullable, typed } from '../../../../database/storage.js';
import type { SystemReadWork, SystemWriteWork } from '../../../../database/work.js';
import { DAY } from '../../../../platform/clock.js';
import { NEW_NETWORK, type SignInNetwork } from './sign-in.model.js';

const time = nullable(instant);

/** Known networks of an account: those of the latest sign-ins. */
const KNOWN_NETWORKS = 10;

export async function findNetwork(
  work: SystemReadWork,
  userId: number,
  network: string,
): Promise<SignInNetwork> {
  const { db } = specialSql(work);
  const row = await db
    .selectFrom('sign_in_networks')
    .selectAll()
    .where('user_id', '=', userId)
    .where('network', '=', network)
    .executeTakeFirst();
  if (row === undefined) return NEW_NETWORK;
  return {
    signedInAt: time.fromColumn(row.signed_in_at),
    failedSignIns: row.failed_sign_ins,
    lockedUntil: time.fromColumn(row.locked_until),
  };
}

/** Stores nothing if there is no such user, but takes the same time. */
export async function saveNetwork(
  work: SystemWriteWork,
  userId: number,
  network: string,
  { signedInAt, failedSignIns, lockedUntil }: SignInNetwork,
): Promise<void> {
  const { db } = specialSql(work);
  await db
    .insertInto('sign_in_networks')
    .columns(['user_id', 'network', 'signed_in_at', 'failed_sign_ins', 'locked_until', 'updated_at'])
    .expression((of) =>
      of
        .selectFrom('users')
        .select([
          'users.id',
          typed('text', network).as('network'),
          typed('instant', time.toColumn(signedInAt)).as('signed_in_at'),
          typed('integer', failedSignIns).as('failed_sign_ins'),
          typed('instant', time.toColumn(lockedUntil)).as('locked_until'),
          typed('instant', instant.toColumn(work.now)).as('updated_at'),
        ])
        .where('users.id', '=', userId),
    )
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'network']).doUpdateSet((row) => ({
        signed_in_at: row.ref('excluded.signed_in_at'),
        failed_sign_ins: row.ref('excluded.failed_sign_ins'),
        locked_until: row.ref('excluded.locked_until'),
        updated_at: row.ref('excluded.updated_at'),
      })),
    )
    .execute();
}

/** Deletes networks without a sign-in or a failure for a day, and known ones that are too many. */
export async function deleteOldNetworks(work: SystemWriteWork, userId: number): Promise<void> {
  const { db } = specialSql(work);
  await db
    .deleteFrom('sign_in_networks')
    .where('user_id', '=', userId)
    .where((network) =>
      network.or([
        network.and([
          network('signed_in_at', 'is', null),
          network('updated_at', '<', comparedInstant(new Date(work.now.getTime() - DAY))),
        ]),
        network.and([
          network('signed_in_at', 'is not', null),
          network(
            'network',
            'not in',
            network
              .selectFrom('sign_in_networks')
              .select('network')
              .where('user_id', '=', userId)
              .where('signed_in_at', 'is not', null)
              .orderBy('signed_in_at', 'desc')
              .orderBy('network')
              .limit(KNOWN_NETWORKS),
          ),
        ]),
      ]),
    )
    .execute();
}

/** Lifts the locks of all networks for a user; known ones stay known. */
export async function resetNetworks(work: SystemWriteWork, userId: number): Promise<void> {
  const { db } = specialSql(work);
  await db
    .updateTable('sign_in_networks')
    .set({ failed_sign_ins: 0, locked_until: null })
    .where('user_id', '=', userId)
    .execute();
}
