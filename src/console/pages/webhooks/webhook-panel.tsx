import type { ReactNode } from 'react';

import { graphql, mutations, useQuery } from '../../api';
import type { WebhookState } from '../../gql/graphql';
import { EditRecord } from '../../record/fields';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Badge, Time, type Tone } from '../../ui/facts';
import { stateNames, useText } from './words';

const WEBHOOK = graphql(`
  query WebhookRecord($id: ID!) {
    webhook(id: $id) {
      id
      revision
      url
      events
      enabled
      state
      deliveredSequence
      failingSince
      lastSuccessAt
      lastFailureAt
      lastFailure
      nextAttemptAt
      oldSecretUntil
      createdBy { name }
    }
  }
`);

/** Types of events in a text: `device.*, group.update`. */
export const eventsOf = (text: string): string[] => text.split(/[\s,]+/).filter((type) => type !== '');

const TONES: Readonly<Record<WebhookState, Tone>> = { ACTIVE: 'good', FAILING: 'warning', DISABLED: 'bad' };

export function State({ state }: { readonly state: WebhookState }): ReactNode {
  const names = useTexts(stateNames);
  return <Badge tone={TONES[state]}>{names[state]}</Badge>;
}

/** A webhook: how far it is, and what was wrong. */
export function WebhookPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const format = useFormat();
  const query = useQuery(WEBHOOK, { id }, ['WEBHOOK']);
  return (
    <RecordPanel
      query={query}
      record={({ webhook }) => webhook}
      title={({ url }) => url}
      edit={(record, close) => (
        <EditRecord
          record={record}
          document={mutations.webhookUpdate}
          changes={['WEBHOOK']}
          fields={[
            { name: 'url', label: text.address, help: text.addressHelp },
            { name: 'events', label: text.events, help: text.eventsHelp },
            { name: 'enabled', label: text.enabled, isFlag: true },
          ]}
          present={{ url: record.url, events: record.events.join(', '), enabled: record.enabled }}
          input={({ events, ...others }) => ({ ...others, events: eventsOf(events) })}
          onClose={close}
        />
      )}
      remove={{ document: mutations.webhookDelete, changes: 'WEBHOOK' }}
      onClose={onClose}
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
