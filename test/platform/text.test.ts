import { describe, expect, it } from 'vitest';

import { normalized } from '../../src/platform/text.js';

describe('normalized', () => {
  it('composes a name', () => {
    expect(normalized('e\u0301')).toBe('é');
  });

  it('leaves what is too long for any name, which would take minutes to compose', () => {
    const marks = `a${'\u0301\u0316'.repeat(250_000)}`;
    expect(normalized(marks)).toBe(marks);
  });
});
