/**
 * Decodes Base64 (standard alphabet, with padding). Line breaks are skipped, since old encoders insert them. Anything
 * else that is not canonical gives undefined: a space, since a form field turns `+` into one, or unused bits set.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const joined = text.replace(/[\r\n]+/g, '');
  const bytes = Buffer.from(joined, 'base64');
  return bytes.toString('base64') === joined ? bytes : undefined;
}
