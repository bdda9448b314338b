import { connectAsync } from 'mqtt';

import { withoutTime } from '../terminals.js';

/** A message as a terminal got it. */
export interface Received {
  readonly topic: string;
  /** The text after the id and its pipe, without the time that the server adds. */
  readonly text: string;
  readonly id: string;
  readonly retained: boolean;
}

interface Behaviour {
  /** Whether they confirm what they get; true if absent. */
  readonly confirms?: boolean;
  readonly filter?: string;
  /** Whether their broker keeps messages for them while they are away. */
  readonly clientId?: string;
}

const messageIn = (payload: Buffer): string =>
  (JSON.parse(payload.toString()) as { readonly message: string }).message;

export type SimulatedTerminals = Awaited<ReturnType<typeof connectTerminals>>;

/** Simulated terminals at a broker, with one client for all of them. */
export async function connectTerminals(
  port: number,
  { confirms = true, filter = 'terminals/+/+/notifications', clientId }: Behaviour = {},
) {
  const kept = clientId === undefined ? {} : { clientId, clean: false };
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 50, ...kept });
  client.on('error', () => undefined);
  /** All messages in the order of arrival, repeated ones too. */
  const received: Received[] = [];
  const confirm = async (topic: string, event: string): Promise<void> => {
    const to = topic.replace(/notifications$/, 'confirm');
    await client.publishAsync(to, JSON.stringify({ type: 'pnconf', event }), { qos: 1 });
  };
  client.on('message', (topic, payload, { retain }) => {
    const [id = '', ...text] = withoutTime(messageIn(payload)).split('|');
    received.push({ topic, id, text: text.join('|'), retained: retain });
    if (confirms) confirm(topic, id).catch(() => undefined);
  });
  await client.subscribeAsync(filter, { qos: 1 });
  /** Ids of the first arrival of each message, by topic. */
  const first = (): Map<string, string[]> => {
    const ids = new Map<string, string[]>();
    for (const { topic, id } of received) {
      const known = ids.get(topic) ?? [];
      if (!known.includes(id)) ids.set(topic, [...known, id]);
    }
    return ids;
  };
  return { client, received, first, confirm, stop: () => client.endAsync(true) };
}
