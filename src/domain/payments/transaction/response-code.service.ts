import type { ReadWork } from '../../../database/work.js';
import { getCompany } from '../../people/company/company.service.js';
import { responseCodesWith, type ResponseCode } from './response-code.model.js';

/** The response codes with a text for the caller's company, ascending. One statement. */
export async function responseCodes(work: ReadWork): Promise<readonly ResponseCode[]> {
  return responseCodesWith((await getCompany(work)).responseTexts);
}

/** Says codes with their meaning, for example `05 Do not honour`; a code without a text stands alone. */
export async function responseTexts(work: ReadWork): Promise<(code: string, locale: 'en' | 'pt') => string> {
  const texts = new Map((await responseCodes(work)).map((each) => [each.code, each]));
  return (code, locale) => {
    const known = texts.get(code);
    return known === undefined ? code : `${code} ${locale === 'pt' ? known.portuguese : known.english}`;
  };
}
