import { describe, expect, it } from 'vitest';

import { problemOfParams } from '../../src/simulator/params-dat.js';

const problemOf = (text: string) => problemOfParams(Buffer.from(text));

describe('a terminal reads params.dat', () => {
  it('with quotes around values, empty values and lists', () => {
    const apps = '1 - Sale,acme_sale.posxml,posxml,31C3;X,acme_k.rb,ruby,0000;';
    expect(problemOf(`host="gw=1"\nempty=\napps_list=${apps}\nfiles_list=acme_b.dat,FFFF;\n`)).toBeNull();
  });

  it.each([
    ['a line without =', 'a=1\nb\n'],
    ['an empty line', 'a=1\n\nb=2\n'],
    ['a line without a key', '=1\n'],
    ['CRLF', 'a=1\r\n'],
    ['a key twice', 'a=1\na=2\n'],
    ['an entry with a comma too many', 'files_list=a_b,c,FFFF;\n'],
    ['a CRC in lower case', 'files_list=a_b,ffff;\n'],
    ['a name without a company', 'files_list=b,FFFF;\n'],
    ['an unknown type', 'apps_list=X,a_b,java,FFFF;\n'],
    ['a list without its last ;', 'files_list=a_b,FFFF\n'],
  ])('refuses %s', (_what, text) => {
    expect(problemOf(text)).toMatch(/line|key|entry|CRC|company|type|end/);
  });

  it('refuses what is not UTF-8', () => {
    expect(problemOfParams(Buffer.from([0x61, 0x3d, 0xff]))).toContain('UTF-8');
  });
});
