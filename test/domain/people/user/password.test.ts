import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createPasswords } from '../../../../src/domain/people/user/password.service.js';
import { credentialsToTry } from '../../../../src/domain/people/user/sign-in.rules.js';
import { PASSWORD } from '../../../support/people.js';

describe('passwords', () => {
  it('are kept as argon2id with 19 MiB, two passes and one thread, each with a salt of its own', async () => {
    const passwords = createPasswords();
    const [one, other] = [await passwords.hash(PASSWORD), await passwords.hash(PASSWORD)];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(other).not.toBe(one);
  });

  it('are known again, and no other one is', async () => {
    const passwords = createPasswords();
    const kept = await passwords.hash(PASSWORD);
    const answers = await passwords.inTurn(async (verify) => [
      await verify(kept, PASSWORD),
      await verify(kept, `${PASSWORD} `),
      await verify(undefined, PASSWORD),
      await verify('no hash at all', PASSWORD),
    ]);
    expect(answers).toEqual([true, false, false, false]);
  });

  it.each([
    ['eleven char', 'at least 12'],
    ['x'.repeat(129), 'at most 128'],
    ['🔑'.repeat(11), 'at least 12'],
    ['a\0'.repeat(10), 'NUL'],
    ['\ud800'.repeat(20), 'broken'],
    [undefined, 'is required'],
  ])('%j is refused', async (password, words) => {
    const refusal = await createPasswords()
      .hash(password)
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'invalid',
      details: { fields: { password: [{ message: expect.stringContaining(words) as string }] } },
    });
  });

  it.each([['🔑'.repeat(12)], ['x'.repeat(128)], ['🔑'.repeat(128)]])('%j is taken', async (password) => {
    expect(await createPasswords().hash(password)).toContain('$argon2id$');
  });

  it('AT-05 take as long to check where there is no hash', async () => {
    const passwords = createPasswords();
    const kept = await passwords.hash(PASSWORD);
    const shortest = { known: Infinity, unknown: Infinity };
    await passwords.inTurn(async (verify) => {
      const measure = async (hash: string | undefined): Promise<number> => {
        const start = performance.now();
        await verify(hash, 'not the right password');
        return performance.now() - start;
      };
      for (let round = 0; round < 7; round += 1) {
        shortest.known = Math.min(shortest.known, await measure(kept));
        shortest.unknown = Math.min(shortest.unknown, await measure(undefined));
      }
    });
    // A ratio of shortest times: what else the machine does only ever lengthens them.
    expect(shortest.unknown / shortest.known).toBeGreaterThan(0.3);
  });

  it('AT-09 are hashed four at once; thirty-two wait, and the next is refused', async () => {
    const passwords = createPasswords();
    const running: (() => void)[] = [];
    const attempt = (): Promise<void> =>
      passwords.inTurn(() => new Promise<void>((resolve) => running.push(resolve)));
    const admitted = Array.from({ length: 36 }, attempt);
    await expect(attempt()).rejects.toMatchObject({ code: 'busy', details: { retryAfter: 1 } });
    await expect(passwords.hash(PASSWORD)).rejects.toMatchObject({ code: 'busy' });
    expect(running).toHaveLength(4);
    for (let done = 0; done < 36; done += 1) {
      running[done]?.();
      await admitted[done];
    }
    expect(await passwords.hash(PASSWORD)).toContain('$argon2id$');
  });
});

const email = 'ana@acme.example';

describe('credentialsToTry', () => {
  it.each([
    ['one%2Bone', ['one%2Bone', 'one+one']],
    ['50%%2B50%', ['50%%2B50%', '50%+50%']],
    ['%C3%A9', ['%C3%A9', 'é']],
    ['%FF%2B', ['%FF%2B']],
    ['no encoding + here', ['no encoding + here']],
  ])('of %s that was labelled as a form', (password, tried) => {
    expect(credentialsToTry({ email, password }, true).map((each) => each.password)).toEqual(tried);
  });

  it('never decodes what was not labelled as a form', () => {
    expect(credentialsToTry({ email: 'a%2Bb', password: '%2B' }, false)).toEqual([
      { email: 'a%2Bb', password: '%2B' },
    ]);
  });

  it('measures each form by itself', () => {
    const password = '%2B'.repeat(128);
    expect(credentialsToTry({ email, password }, true)).toEqual([{ email, password: '+'.repeat(128) }]);
    expect(() => credentialsToTry({ email, password }, false)).toThrow('not valid');
  });

  it('tries at most two, and what is encoded comes back', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40, unit: 'grapheme' }), (password) => {
        const tried = credentialsToTry({ email, password: encodeURIComponent(password) }, true);
        expect(tried.length).toBeLessThanOrEqual(2);
        expect(tried.at(-1)?.password).toBe(password.normalize('NFC'));
      }),
    );
  });
});
