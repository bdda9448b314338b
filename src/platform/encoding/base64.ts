/**
 * The bytes that a text in base64 stands for, or undefined where it is none: standard alphabet, padded, no bits
 * left over. Line breaks are skipped, since old encoders break lines; a space is an error, since a form turns
 * `+` into one.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const joined = text.replace(/[\r\n]+/g, '');
  const bytes = Buffer.from(joined, 'base64');
  return bytes.toString('base64') === joined ? bytes : undefined;
}
