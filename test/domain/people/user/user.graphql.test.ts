import { beforeAll, describe, expect, it } from 'vitest';

import { answered } from '../../../support/dashboard.js';
import { useServer, type Member } from '../../../support/server.js';

const server = useServer();
let viewer: Member;
beforeAll(async () => {
  viewer = await server.member('acme', 'viewer');
  await server.acme.client.post('groups', { name: 'by an admin' });
  await (await server.member('acme', 'operator')).client.post('groups', { name: 'by an operator' });
});

const PERSONAL = ['email', 'signInCount', 'lastSignInAt', 'lastSignInIp', 'timeZone', 'updatedAt'];

describe('a user in GraphQL', () => {
  it.each(PERSONAL)(
    'GQ-18 shows %s of a colleague to administrators only, through every field',
    async (field) => {
      const way = `{ group(name: "by an admin") { name createdBy { name ${field} } } }`;
      const { body } = await viewer.graphql(way);
      expect(body.data).toEqual({
        group: { name: 'by an admin', createdBy: { name: 'admin of Acme Pagamentos', [field]: null } },
      });
      expect(body.errors).toMatchObject([
        { path: ['group', 'createdBy', field], extensions: { code: 'FORBIDDEN' } },
      ]);
    },
  );

  it('shows users their own fields', async () => {
    const operator = await server.member('acme', 'operator');
    await operator.client.post('groups', { name: 'own' });
    const own = '{ group(name: "own") { createdBy { email signInCount lastSignInAt timeZone } } }';
    expect(await answered(operator, own)).toMatchObject({
      group: { createdBy: { signInCount: 0, lastSignInAt: null, timeZone: 'UTC' } },
    });
  });
});
