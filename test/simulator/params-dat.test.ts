import { describe, expect, it } from 'vitest';

import { readParams } from '../../src/simulator/params-dat.js';

const read = (text: string) => readParams(Buffer.from(text));

describe('a terminal reads params.dat', () => {
  it('takes quotes off values and entries out of lists', () => {
    const { parameters, apps, files } = read(
      'host="gw=1"\nempty=\napps_list=1 - Sale,acme_sale.posxml,posxml,31C3;X,acme_k.rb,ruby,0000;\nfiles_list=acme_b.dat,FFFF;\n',
    );
    expect([parameters.get('host'), parameters.get('empty')]).toEqual(['gw=1', '']);
    expect(apps).toEqual([
      { label: '1 - Sale', name: 'acme_sale.posxml', type: 'posxml', crc: '31C3' },
      { label: 'X', name: 'acme_k.rb', type: 'ruby', crc: '0000' },
    ]);
    expect(files).toEqual([{ name: 'acme_b.dat', crc: 'FFFF' }]);
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
    expect(() => read(text)).toThrow(/line|key|entry|CRC|company|type|end/);
  });

  it('refuses what is not UTF-8', () => {
    expect(() => readParams(Buffer.from([0x61, 0x3d, 0xff]))).toThrow('UTF-8');
  });
});
