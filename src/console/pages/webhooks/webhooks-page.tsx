import { useState, type ReactNode } from 'react';

import { graphql, mutate, mutations } from '../../api';
import type { WebhookRowFragment } from '../../gql/graphql';
import type { RecordActions } from '../../record/bulk';
import { creating } from '../../record/dialog-button';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { SecretDialog } from '../../ui/dialog';
import { State, WebhookPanel } from './webhook-panel';
import { useText } from './words';

const WEBHOOK = graphql(`
  fragment WebhookRow on Webhook {
    id url state events deliveredSequence lastSuccessAt lastFailureAt
  }
`);

/** Addresses to which the changes in the company are sent. */
export default function WebhooksPage(): ReactNode {
  const text = useText();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <ListPage
        id="webhooks"
        source={listOf(WEBHOOK)}
        rowName={({ url }) => url}
        columns={[
          { id: 'url', title: text.address, width: 260 },
          { id: 'state', title: text.state, width: 110, render: ({ state }) => <State state={state} /> },
          { id: 'events', title: text.events, width: 160, render: ({ events }) => events.join(', ') },
          { id: 'deliveredSequence', title: text.deliveredSequence, width: 110, kind: 'number' },
          { id: 'lastSuccessAt', title: text.lastSuccess, width: 140, kind: 'ago' },
          { id: 'lastFailureAt', title: text.lastFailure, width: 140, kind: 'ago' },
        ]}
        rowActions={useActions(setSecret)}
        create={creating({
          title: text.newWebhook,
          draft: 'webhook',
          empty: { url: '', events: '*', fromSequence: '' },
          fields: [
            { name: 'url', label: text.address, help: text.addressHelp },
            { name: 'events', label: text.events, help: text.eventsHelp, isList: true },
            {
              name: 'fromSequence',
              label: text.fromSequence,
              help: text.fromSequenceHelp,
              isJson: true,
              isOptional: true,
            },
          ],
          document: mutations.webhookCreate,
          onCreated: (payload) => setSecret(payload.secret),
        })}
        panel={<WebhookPanel />}
        empty={text.noWebhooks}
      />
      <SecretDialog label={text.secret} secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}

const EMPTY = { fromSequence: '', keepOldFor: '24h' };
const DURATIONS = ['0s', '1h', '24h', '7d', '30d'].map((value) => ({ value, label: value }));

/** Actions on webhooks; `onSecret` shows a new secret. */
function useActions(
  onSecret: (secret: string | null) => void,
): RecordActions<WebhookRowFragment, typeof EMPTY> {
  const text = useText();
  return {
    nameOf: ({ url }) => url,
    empty: EMPTY,
    actions: [
      {
        name: text.test,
        icon: 'check',
        done: text.tested,
        change: async ({ id }) => {
          const { failure, userErrors } = await mutate(mutations.webhookTest, { id });
          const problem = failure === null ? [] : [{ code: 'FAILED', message: failure, path: [] }];
          return { userErrors: [...userErrors, ...problem] };
        },
      },
      {
        name: text.replay,
        icon: 'history',
        done: text.replayed,
        effect: text.replayHelp,
        fields: [{ name: 'fromSequence', label: text.fromSequence }],
        isReady: ({ fromSequence }) => /^[1-9]\d{0,8}$/.test(fromSequence),
        change: ({ id }, { fromSequence }) =>
          mutate(mutations.webhookReplay, { id, fromSequence: Number(fromSequence) }),
      },
      {
        name: text.rotate,
        icon: 'key',
        done: text.rotated,
        fields: [{ name: 'keepOldFor', label: text.keepOldFor, options: DURATIONS }],
        change: async ({ id }, { keepOldFor }) => {
          const payload = await mutate(mutations.webhookSecretRotate, { id, keepOldFor });
          onSecret(payload.secret);
          return payload;
        },
      },
    ],
  };
}
