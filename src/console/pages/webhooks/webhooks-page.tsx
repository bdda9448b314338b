import type { ReactNode } from 'react';

import { fragment, mutate, mutations } from '../../api';
import type { RecordActions } from '../../record/bulk';
import { RecordPanel } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { ScheduledExports } from '../../table/scheduled-exports';
import { Facts, factsOf } from '../../table/shown';
import { useText } from './words';

const WEBHOOK = fragment(`
  fragment WebhookRecord on Webhook {
    id revision url enabled state events deliveredSequence lastSuccessAt lastFailureAt lastFailure
    failingSince nextAttemptAt oldSecretUntil
    createdBy { name }
  }
`);

const ACTIONS: RecordActions<{ readonly id: string; readonly url: string }> = [
  {
    id: 'test',
    icon: 'check',
    change: async ({ id }) => {
      const { failure, userErrors } = await mutate(mutations.webhookTest, { id });
      const problem = failure === null ? [] : [{ code: 'FAILED', message: failure, path: [] }];
      return { userErrors: [...userErrors, ...problem] };
    },
  },
  {
    id: 'replay',
    icon: 'history',
    fields: [{ name: 'fromSequence', pattern: /^[1-9]\d{0,8}$/, isJson: true }],
    change: ({ id }, { fromSequence }: { readonly fromSequence: number }) =>
      mutate(mutations.webhookReplay, { id, fromSequence }),
  },
  {
    id: 'rotate',
    icon: 'key',
    fields: [{ name: 'keepOldFor', initial: '24h' }],
    change: ({ id }, input: object) => mutate(mutations.webhookSecretRotate, { id, ...input }),
  },
];

const FIELDS = ['url', { name: 'events', initial: '*' }];

/** Addresses to which the changes in the company are sent: how far each is, and what was wrong. */
export default function WebhooksPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="webhooks"
      text={text}
      source={listOf(WEBHOOK)}
      columns={['url', 'state', 'events', 'deliveredSequence', 'lastSuccessAt', 'lastFailureAt']}
      filters={['url']}
      rowActions={ACTIONS}
      create={{
        title: text.newWebhook,
        fields: [...FIELDS, { name: 'fromSequence', help: text.fromHelp, isJson: true, isOptional: true }],
        document: mutations.webhookCreate,
      }}
      panel={
        <RecordPanel
          fragment={WEBHOOK}
          edit={{ document: mutations.webhookUpdate, fields: [...FIELDS, 'enabled'] }}
          remove={mutations.webhookDelete}
          tabs={(webhook) => ({
            facts: <Facts facts={factsOf(webhook, 'url', 'enabled')} />,
            exports: <ScheduledExports webhookId={webhook.id} />,
          })}
        />
      }
    />
  );
}
