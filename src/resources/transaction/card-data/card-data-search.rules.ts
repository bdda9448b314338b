import { cardNumbers, tracks, type Range } from './card-numbers.rules.js';
import { namedSecrets } from './secret-names.rules.js';
import { plainView } from './views/plain-view.rules.js';
import { viewsOf } from './views/text-views.rules.js';
import { placeInOriginal, viewOf, type View } from './views/view.rules.js';

interface Found {
  /** What must not be kept, in order and without overlaps. */
  readonly ranges: readonly Range[];
  /** How many characters were looked at, in the text and in what its encoded parts say. */
  readonly examined: number;
  /** Whether some of it is in an encoded part. */
  readonly isEncoded: boolean;
}

/** What must not be kept of a text: in the text itself and in what its encoded parts say. */
export function searchCardData(text: string): Found {
  const views = viewsOf(text);
  const found = views.map(cardDataIn);
  return {
    ranges: merged(found.flat()),
    isEncoded: found.some((ranges, index) => ranges.length > 0 && views[index]?.isEncoded === true),
    examined: views.reduce((sum, view) => sum + view.units.length, 0),
  };
}

/** What looks like a card number once other digits are masked: in the text itself, without its encoded parts. */
export function searchRest(text: string): readonly Range[] {
  const view = plainView(viewOf(text));
  return merged(inOriginal(view, [...cardNumbers(view), ...tracks(view)]));
}

const cardDataIn = (view: View): Range[] =>
  inOriginal(view, [...cardNumbers(view), ...tracks(view), ...namedSecrets(view)]);

function inOriginal(view: View, ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const range of ranges) {
    const [from, to] = [range[0], range[1]];
    if (to <= from) continue;
    const place = placeInOriginal(view, from, to);
    result.push([place[0], place[1], range[2] === true && !view.isEncoded]);
  }
  return result;
}

function merged(ranges: readonly Range[]): Range[] {
  const result: [number, number, boolean][] = [];
  for (const range of [...ranges].sort((a, b) => a[0] - b[0])) {
    const [from, to, keepsGaps] = [range[0], range[1], range[2] === true];
    const last = result.at(-1);
    if (last === undefined || from > last[1] || (from === last[1] && keepsGaps !== last[2])) {
      result.push([from, to, keepsGaps]);
    } else {
      last[1] = Math.max(last[1], to);
      last[2] &&= keepsGaps;
    }
  }
  return result;
}
