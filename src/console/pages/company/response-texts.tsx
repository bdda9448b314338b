import type { ReactNode } from 'react';

import { mutations, useQuery } from '../../api';
import { useMay } from '../../app/session';
import { ActionButton } from '../../record/dialog-button';
import { SendForm } from '../../record/fields';
import { RESPONSE_CODES } from '../../record/reason';
import { SmallTable } from '../../table/shown';
import { Loading, PageFailure } from '../../ui/states';
import { useText } from './words';

/** The company's own texts of response codes, in place of those of ISO 8583; administrators change them. */
export function ResponseTexts(): ReactNode {
  const text = useText();
  const mayAdminister = useMay('ADMIN');
  const { data, error, reload } = useQuery(RESPONSE_CODES, {});
  if (error) return <PageFailure error={error} onRetry={reload} />;
  if (!data) return <Loading />;
  const remove = (code: string): ReactNode =>
    mayAdminister && (
      <ActionButton
        label={text.delete}
        document={mutations.companySetResponseText}
        variables={{ code, text: null }}
        onDone={reload}
      />
    );
  return (
    <>
      <p className="faint">{text.responseTextsHelp}</p>
      <SmallTable
        rows={data.responseCodes.filter(({ isOwn }) => isOwn).map((each) => ({ id: each.code, ...each }))}
        empty={text.noResponseTexts}
        columns={[
          { id: 'code', title: text.code },
          { id: 'text', title: text.meaning, render: ({ english }) => english },
          { id: 'actions', title: text.actions, render: ({ code }) => remove(code) },
        ]}
      />
      {mayAdminister && (
        <SendForm
          root={null}
          fields={['code', { name: 'text', label: text.meaning }]}
          document={mutations.companySetResponseText}
          submit={text.setResponseText}
          onDone={reload}
        />
      )}
    </>
  );
}
