/** Formats generated texts, for the scripts and tests that write or compare them. */
import { readFileSync } from 'node:fs';
import { format, type FormatConfig } from 'oxfmt';

const style = JSON.parse(readFileSync(new URL('oxfmt.json', import.meta.url), 'utf8')) as FormatConfig;

/** A generated text as `check:format` wants it; the file's name tells its language. */
export async function formatted(fileName: string, text: string): Promise<string> {
  const { code, errors } = await format(fileName, text, style);
  if (errors.length > 0) throw new Error(`${fileName}: ${errors.map(({ message }) => message).join('; ')}`);
  return code;
}
