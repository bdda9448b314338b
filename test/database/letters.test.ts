import { expect, it } from 'vitest';

import { answered, changed } from '../support/dashboard.js';
import { useServer } from '../support/server.js';

const server = useServer();

const CREATE =
  'mutation ($name: String!) { groupCreate(input: { name: $name }) { group { id } userErrors { message } } }';

interface Names {
  readonly nodes: readonly { readonly name: string }[];
}

/** Small letters of all scripts with one capital letter, whose small letter they are. */
const LETTERS = Array.from({ length: 0x1_e944 }, (_, code) => String.fromCodePoint(code)).filter((letter) => {
  const capital = letter.toUpperCase();
  const isPair = Array.from(capital).length === 1 && capital !== letter && capital.toLowerCase() === letter;
  return (
    /\p{Ll}/u.test(letter) && isPair && [letter, capital].every((each) => each.normalize('NFC') === each)
  );
});

/** Texts of at most 100 characters, of up to `count` letters each. */
const textsOf = (letters: readonly string[], count: number): readonly string[] =>
  Array.from({ length: Math.ceil(letters.length / count) }, (_, part) =>
    ['', ...letters.slice(part * count, (part + 1) * count), ''].join('q'),
  );

const FOUND = `query ($text: String!) {
  search(text: $text, first: 50) { nodes { name } }
  groups(filter: { name: { contains: $text, ignoreCase: true } }) { nodes { name } } }`;

it('finds names by capital and small letters of any script', async () => {
  expect(LETTERS.length).toBeGreaterThan(1_300);
  for (const name of textsOf(LETTERS, 49)) {
    await changed(server.acme, CREATE, { name });
    for (const text of [name.toUpperCase(), name]) {
      const { search, groups } = await answered<{ search: Names; groups: Names }>(server.acme, FOUND, {
        text,
      });
      // Others may have the same letters with other accents.
      expect(search.nodes, text).toContainEqual({ name });
      expect(groups.nodes, text).toEqual([{ name }]);
    }
  }
});

it('finds names by one or two letters in any case', async () => {
  await changed(server.beta, CREATE, { name: 'Ловля' });
  for (const text of ['ЛО', 'Ло', 'лО', 'ло', 'Л', 'л']) {
    const { search } = await answered<{ search: Names }>(server.beta, FOUND, { text });
    expect(search.nodes, text).toEqual([{ name: 'Ловля' }]);
  }
});

it('finds a word that ends with a sigma by its beginning in capital letters', async () => {
  await changed(server.beta, CREATE, { name: 'Οδοστρωτήρας' });
  for (const text of ['ΟΔΟΣ', 'ΤΗΡΑΣ', 'τηρας']) {
    const { search } = await answered<{ search: Names }>(server.beta, FOUND, { text });
    expect(search.nodes, text).toEqual([{ name: 'Οδοστρωτήρας' }]);
  }
});
