import { Extensions } from 'type-graphql';

import type { Declared } from '../plan/declared.js';

/** Declares how a field is read. Fields that show a property of their record as it is need no declaration. */
export const planned = (declared: Declared): ReturnType<typeof Extensions> =>
  Extensions({ planned: declared });
