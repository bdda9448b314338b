import { useMemo } from 'react';

import { graphql, useQuery } from '../api';
import { useLocale } from '../text';

export const RESPONSE_CODES = graphql(`
  query ResponseCodes { responseCodes { code english portuguese isOwn } }
`);
const NO_VARIABLES = {};

/** Says a response code in words: "51 Insufficient funds". One without words stands for itself. */
export function useReason(): (code: string) => string {
  const { language } = useLocale();
  const codes = useQuery(RESPONSE_CODES, NO_VARIABLES).data?.responseCodes;
  return useMemo(() => {
    const texts = new Map(
      codes?.map((each) => [each.code, language === 'pt' ? each.portuguese : each.english]),
    );
    return (code) => [code, texts.get(code)].filter(Boolean).join(' ');
  }, [codes, language]);
}
