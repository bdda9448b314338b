import { describe, expect, it } from 'vitest';

import { normalized } from '../../src/platform/encoding/text.js';

describe('normalized', () => {
  it('composes combining marks', () => {
    expect(normalized('e\u0301')).toBe('é');
  });

  it('does not change text that is too long for a name, which would take minutes to compose', () => {
    const marks = `a${'\u0301\u0316'.repeat(250_000)}`;
    expect(normalized(marks)).toBe(marks);
  });
});
