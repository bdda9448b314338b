import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useMay, useSession } from '../../app/session';
import { useTexts } from '../../text';
import { Facts, Section } from '../../ui/facts';
import { Choice, TextInput } from '../../ui/field';
import { errorAt, Form } from '../../ui/form';
import { notify } from '../../ui/toasts';
import { words as common } from '../../ui/words';
import { words } from './words';

const RENAME = graphql(`
  mutation CompanyRename($name: String!) {
    companyRename(name: $name) {
      userErrors { code message path rule params }
    }
  }
`);

const SET_TIME_ZONE = graphql(`
  mutation CompanySetTimeZone($timeZone: String!) {
    companySetTimeZone(timeZone: $timeZone) {
      userErrors { code message path rule params }
    }
  }
`);

const ZONES = Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: zone }));

/** Name and time zone of the company; administrators change them. */
export default function SettingsPage(): ReactNode {
  const text = useTexts(words);
  const { viewer } = useSession();
  const mayAdminister = useMay('ADMIN');
  const { company } = viewer;
  return (
    <div className="page">
      <header className="page-header">
        <h1>{text.settings}</h1>
      </header>
      {company && (
        <div className="cards">
          <div className="card">
            <Section title={text.company}>
              {mayAdminister ? (
                <CompanyForm company={company} />
              ) : (
                <Facts
                  facts={[
                    { name: text.name, value: company.name },
                    { name: text.timeZone, value: company.timeZone },
                  ]}
                />
              )}
            </Section>
          </div>
        </div>
      )}
    </div>
  );
}

function CompanyForm(props: {
  readonly company: { readonly name: string; readonly timeZone: string };
}): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const { reload } = useSession();
  const { company } = props;
  const [name, setName] = useState(company.name);
  const [timeZone, setTimeZone] = useState(company.timeZone);
  const rename = useMutation(RENAME);
  const setZone = useMutation(SET_TIME_ZONE);
  const save = async (): Promise<void> => {
    if (name !== company.name && !(await rename.run({ name }))) return;
    if (timeZone !== company.timeZone && !(await setZone.run({ timeZone }))) return;
    notify({ text: commonText.saved });
    reload();
  };
  const zones = ZONES.some(({ value }) => value === timeZone)
    ? ZONES
    : [{ value: timeZone, label: timeZone }, ...ZONES];
  return (
    <Form
      onSubmit={() => void save()}
      submit={commonText.save}
      isRunning={rename.isRunning || setZone.isRunning}
      failure={rename.failure ?? setZone.failure}
      errors={[...rename.errors, ...setZone.errors]}
      shown={['name', 'timeZone']}
    >
      <TextInput label={text.name} value={name} onChange={setName} error={errorAt(rename.errors, 'name')} />
      <Choice
        label={text.timeZone}
        help={text.timeZoneHelp}
        options={zones}
        value={timeZone}
        onChange={setTimeZone}
        error={errorAt(setZone.errors, 'timeZone')}
      />
    </Form>
  );
}
