import { expect } from 'vitest';

import { answered, changed, nodeId, type UserErrorShape } from '../../../support/dashboard.js';
import type { Fields, Member } from '../../../support/server.js';

export interface ShownWebhook {
  readonly id: string;
  readonly databaseId: number;
  readonly url: string;
  readonly state: 'ACTIVE' | 'FAILING' | 'DISABLED';
  readonly deliveredSequence: number;
  readonly failedAttempts: number;
  readonly failingSince: string | null;
  readonly lastSuccessAt: string | null;
  readonly lastFailureAt: string | null;
  readonly lastFailure: string | null;
  readonly nextAttemptAt: string | null;
  readonly oldSecretUntil: string | null;
  readonly revision: number;
}

const FIELDS = `id databaseId url state deliveredSequence failedAttempts failingSince lastSuccessAt lastFailureAt
  lastFailure nextAttemptAt oldSecretUntil revision`;

interface Payload {
  readonly webhook: ShownWebhook;
  readonly secret: string;
  readonly userErrors: readonly UserErrorShape[];
}

/** Runs `webhookCreate`, which may be refused. */
export async function tryToCreate(member: Pick<Member, 'graphql'>, input: Fields): Promise<Payload> {
  return await changed<Payload>(
    member,
    `mutation ($input: WebhookCreateInput!) {
      webhookCreate(input: $input) { secret webhook { ${FIELDS} } userErrors { message path code } } }`,
    { input },
  );
}

export async function createWebhook(member: Pick<Member, 'graphql'>, input: Fields): Promise<Payload> {
  const payload = await tryToCreate(member, { events: ['group.*'], ...input });
  expect(payload.userErrors).toEqual([]);
  return payload;
}

/** Runs a mutation of a webhook with arguments besides the id, for example `input: { enabled: true }`. */
export async function change(
  member: Member,
  name: string,
  id: number,
  args = '',
  selection = '',
): Promise<Payload> {
  return await changed<Payload>(
    member,
    `mutation { ${name}(id: "${nodeId('Webhook', id)}"${args && `, ${args}`}) {
      ${selection} webhook { ${FIELDS} } userErrors { message path code } } }`,
  );
}

export async function webhookOf(member: Member, databaseId: number): Promise<ShownWebhook> {
  const query = `query ($id: Int!) { webhook(databaseId: $id) { ${FIELDS} } }`;
  return (await answered<{ webhook: ShownWebhook }>(member, query, { id: databaseId })).webhook;
}

/** Creates groups one after the other; each is one entry of the ledger. */
export async function createGroups(member: Member, names: readonly string[]): Promise<void> {
  for (const name of names) await member.client.post('groups', { name });
}
