import type { ReactNode } from 'react';

import { graphql, mutate, mutations } from '../../api';
import type { RecordActions } from '../../record/bulk';
import { RecordPanel } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Facts, factsOf } from '../../table/shown';
import { useText } from './words';

const ROW = graphql(`
  fragment WebhookRow on Webhook {
    id url state events deliveredSequence lastSuccessAt lastFailureAt
  }
`);

const RECORD = graphql(`
  fragment WebhookRecord on Webhook {
    id revision url enabled state events deliveredSequence lastSuccessAt lastFailureAt lastFailure
    failingSince nextAttemptAt oldSecretUntil
    createdBy { name }
  }
`);

/** Addresses to which the changes in the company are sent: how far each is, and what was wrong. */
export default function WebhooksPage(): ReactNode {
  const text = useText();
  const fields = [
    { name: 'url', help: text.addressHelp },
    { name: 'events', help: text.eventsHelp, initial: '*' },
  ];
  return (
    <ListPage
      id="webhooks"
      text={text}
      source={listOf(ROW)}
      rowName={({ url }) => url}
      columns={['url', 'state', 'events', 'deliveredSequence', 'lastSuccessAt', 'lastFailureAt']}
      rowActions={useActions()}
      create={{
        title: text.newWebhook,
        fields: [
          ...fields,
          { name: 'fromSequence', help: text.fromSequenceHelp, isJson: true, isOptional: true },
        ],
        document: mutations.webhookCreate,
      }}
      panel={
        <RecordPanel
          fragment={RECORD}
          title={({ url }) => url}
          edit={{ document: mutations.webhookUpdate, fields: [...fields, 'enabled'] }}
          remove={mutations.webhookDelete}
          tabs={(webhook) => ({ facts: <Facts facts={factsOf(webhook, 'url', 'enabled')} /> })}
        />
      }
      empty={text.noWebhooks}
    />
  );
}

function useActions(): RecordActions<{ readonly id: string; readonly url: string }> {
  const text = useText();
  return {
    nameOf: ({ url }) => url,
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
        fields: [{ name: 'fromSequence', pattern: /^[1-9]\d{0,8}$/, isJson: true }],
        change: ({ id }, { fromSequence }: { readonly fromSequence: number }) =>
          mutate(mutations.webhookReplay, { id, fromSequence }),
      },
      {
        name: text.rotate,
        icon: 'key',
        done: text.rotated,
        fields: [{ name: 'keepOldFor', initial: '24h' }],
        change: ({ id }, input: object) => mutate(mutations.webhookSecretRotate, { id, ...input }),
      },
    ],
  };
}
