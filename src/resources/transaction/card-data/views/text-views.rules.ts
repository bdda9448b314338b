import { fromBase64, fromHex } from './encodings.rules.js';
import { unescaped } from './escapes.rules.js';
import { plainView } from './plain-view.rules.js';
import { viewOf, type View } from './view.rules.js';

/** Encodings within encodings, such as Base64 of percent-encoded text. */
const DEEPEST = 3;

/** The text as it stands, and each reading of its encoded parts: all views in which card data could be seen. */
export function viewsOf(text: string): readonly View[] {
  const views: View[] = [];
  let level: readonly View[] = [plainView(viewOf(text))];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    views.push(...level);
    if (depth < DEEPEST)
      level = level.flatMap((view) => [...unescaped(view), ...fromHex(view), ...fromBase64(view)]);
  }
  return views;
}
