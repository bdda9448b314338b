import type { Fixture } from './fixture.js';

const REST = `
import { z } from 'zod';
import { fieldsOf } from '../../src/rest/index.js';

interface Terminal { id: number; revision: number; serialNumber: string; notes: string | null; card: { brand: string } }
const Shape = z.strictObject({
  id: z.int(), serial_number: z.string(), notes: z.string().nullable(), card: z.strictObject({ brand: z.string() }),
});
const card = ({ card: { brand } }: Terminal) => ({ brand });
`;

/** The fields of a record in /v1 are those of its response shape, and every property of the record is shown or named. */
const REST_FIXTURES: readonly Fixture[] = [
  ['takes a shape that shows every property of the record', '(Shape).from<Terminal>({ card });'],
  [
    'refuses a shape that leaves a property of the record out',
    '(Shape.omit({ notes: true })).from<Terminal>({ card }); // error TS2345: notes',
  ],
  [
    'refuses a shape with a field that the record does not have',
    '(Shape.extend({ more: z.string() })).from<Terminal>({ card }); // error TS2345: more',
  ],
  [
    'refuses a shape that is never null for a property that may be null',
    '(Shape.extend({ notes: z.string() })).from<Terminal>({ card }); // error TS2345: notes',
  ],
  [
    'refuses an omission of a property that is shown',
    "(Shape).from<Terminal>({ card, serialNumber: 'omitted' }); // error TS2561: serialNumber",
  ],
].map(([name = '', fields]) => ({ name, source: `${REST}\nexport const fields = fieldsOf${fields}\n` }));

/** A GraphQL type shows every property of its domain type, except those that are named as shown by relations. */
const GRAPHQL_FIXTURES: readonly Fixture[] = [
  {
    name: 'refuses a GraphQL type that leaves a field of the domain type out',
    source: `
import { flag, nullable, text } from '../../src/graphql/index.js';
import type { Device } from '../../src/domain/fleet/device/device.model.js';
import { auditedType } from '../../src/domain/people/user/user.graphql.js';

export const Incomplete = auditedType<Device, 'logicalNumberId'>('Incomplete', 'A device.', { // error TS2741: meta
  serialNumber: text('Serial number.'),
  enabled: flag('Whether it is enabled.'),
  frameworkVersion: nullable(text('Version.')),
});
`,
  },
  {
    name: 'refuses a GraphQL field that is never null for a property that may be null',
    source: `
import { nullable, objectType, text } from '../../src/graphql/index.js';

export const Wrong = objectType<{ readonly note: string | null }>('Wrong', 'A record.', {
  note: text('A note.'), // error TS2375: null
});
export const Right = objectType<{ readonly note: string | null }>('Right', 'A record.', {
  note: nullable(text('A note.')),
});
`,
  },
];

export const FACE_FIXTURES: readonly Fixture[] = [...REST_FIXTURES, ...GRAPHQL_FIXTURES];
