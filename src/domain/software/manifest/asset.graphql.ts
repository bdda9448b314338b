import { fields, int, object, objectType } from '../../../graphql/index.js';
import { AppVersionType } from '../app/app-version.graphql.js';
import type { Reach } from './asset.model.js';
import { REACH_SEARCH, reachOf } from './asset.service.js';

const ReachType = objectType<Reach>('AppVersionReach', 'How far a version has come.', {
  granted: int('Logical numbers that have the version.'),
  downloaded: int('Devices whose terminals have downloaded its present bytes at `/terminal/v1/assets`.'),
  current: int(
    'Devices whose terminals have its present bytes, as far as is known: they downloaded them or showed that they have them, and have not shown otherwise since: by a request for it with `crc` or `If-None-Match` of other bytes, by another version of the application, or by a manifest without this one. After such a request, another download does not count until the terminal shows that it has the bytes.',
  ),
});

const NONE: Reach = { granted: 0, downloaded: 0, current: 0 };

export const assetGraphql = fields(AppVersionType, {
  reach: {
    field: object(ReachType, 'How far the version has come.'),
    resolve: async (version, ctx) => (await ctx.loadForMany(reachOf, version)) ?? NONE,
    searches: () => [REACH_SEARCH],
  },
});
