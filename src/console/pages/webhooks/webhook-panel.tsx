import type { ReactNode } from 'react';

import { graphql, mutations } from '../../api';
import type { WebhookState } from '../../gql/graphql';
import { RecordPanel } from '../../record/panel';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Badge, Time, type Tone } from '../../ui/facts';
import { stateNames, useText } from './words';

const WEBHOOK = graphql(`
  fragment WebhookRecord on Webhook {
    id revision url events enabled state deliveredSequence failingSince lastSuccessAt lastFailureAt
    lastFailure nextAttemptAt oldSecretUntil
    createdBy { name }
  }
`);

const TONES: Readonly<Record<WebhookState, Tone>> = { ACTIVE: 'good', FAILING: 'warning', DISABLED: 'bad' };

export function State({ state }: { readonly state: WebhookState }): ReactNode {
  const names = useTexts(stateNames);
  return <Badge tone={TONES[state]}>{names[state]}</Badge>;
}

/** A webhook: how far it is, and what was wrong. */
export function WebhookPanel(): ReactNode {
  const text = useText();
  const format = useFormat();
  return (
    <RecordPanel
      fragment={WEBHOOK}
      title={({ url }) => url}
      edit={{
        document: mutations.webhookUpdate,
        fields: [
          { name: 'url', label: text.address, help: text.addressHelp },
          { name: 'events', label: text.events, help: text.eventsHelp, isList: true },
          { name: 'enabled', label: text.enabled, isFlag: true },
        ],
      }}
      remove={mutations.webhookDelete}
      tabs={(webhook) => [
        {
          facts: [
            { name: text.state, value: <State state={webhook.state} /> },
            { name: text.events, value: webhook.events.join(', ') },
            { name: text.deliveredSequence, value: format.number(webhook.deliveredSequence) },
            { name: text.lastSuccess, value: <Time at={webhook.lastSuccessAt} /> },
            { name: text.lastFailure, value: <Time at={webhook.lastFailureAt} /> },
            { name: text.reason, value: webhook.lastFailure },
            { name: text.failingSince, value: <Time at={webhook.failingSince} /> },
            { name: text.nextAttempt, value: <Time at={webhook.nextAttemptAt} /> },
            { name: text.oldSecretUntil, value: <Time at={webhook.oldSecretUntil} /> },
            { name: text.createdBy, value: webhook.createdBy?.name },
          ],
        },
      ]}
    />
  );
}
