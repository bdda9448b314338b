import { z } from 'zod';

const asset = { name: z.string(), size: z.int(), crc: z.string(), sha256: z.string() };

/** Fields of `GET /terminal/v1/manifest` that the simulator uses. */
export const Manifest = z.object({
  logical_number: z.string(),
  group: z.string().nullable(),
  apps: z.array(z.object(asset)),
  files: z.array(z.object(asset)),
  params_dat: z.object({ size: z.int(), crc: z.string() }),
});
export type Manifest = z.output<typeof Manifest>;
export type ListedAsset = Manifest['files'][number];

/** A notification in the answer of a long poll or in an event. */
export const Pushed = z.object({ id: z.string(), message: z.string() });
/** `GET /terminal/v1/notifications`. */
export const PushedList = z.object({ notifications: z.array(Pushed) });
/** A message over MQTT. Its id is in its text only. */
export const PushedText = z.object({ message: z.string() });

/** A line of the answer to `POST /terminal/v1/transactions`. */
export const TransactionLine = z.object({
  line: z.int().optional(),
  result: z.enum(['created', 'repeated', 'rejected']).optional(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
  total: z.int().optional(),
  error: z.object({ code: z.string() }).optional(),
});
export type TransactionLine = z.output<typeof TransactionLine>;
