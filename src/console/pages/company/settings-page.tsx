import { useState, type ReactNode } from 'react';

import { graphql, useMutation } from '../../api';
import { useMay, useSession } from '../../app/session';
import { Fields } from '../../record/fields';
import { zoneOptions } from '../../text/zone';
import { Facts, Section } from '../../ui/facts';
import { Form } from '../../ui/form';
import { notify } from '../../ui/toasts';
import { useText } from './words';

const RENAME = graphql(`
  mutation CompanyRename($name: String!) {
    companyRename(name: $name) { userErrors { code message path rule params } }
  }
`);

const SET_TIME_ZONE = graphql(`
  mutation CompanySetTimeZone($timeZone: String!) {
    companySetTimeZone(timeZone: $timeZone) { userErrors { code message path rule params } }
  }
`);

/** Name and time zone of the company; administrators change them. */
export default function SettingsPage(): ReactNode {
  const text = useText();
  const { company } = useSession().viewer;
  const mayAdminister = useMay('ADMIN');
  if (!company) return null;
  const facts = [
    { name: text.name, value: company.name },
    { name: text.zoneOfTerminals, value: company.timeZone },
  ];
  return (
    <div className="page">
      <header className="page-header">
        <h1>{text.settings}</h1>
      </header>
      <div className="cards">
        <div className="card">
          <Section title={text.company}>
            {mayAdminister ? <CompanyForm company={company} /> : <Facts facts={facts} />}
          </Section>
        </div>
      </div>
    </div>
  );
}

interface Company {
  readonly name: string;
  readonly timeZone: string;
}

function CompanyForm({ company }: { readonly company: Company }): ReactNode {
  const text = useText();
  const { reload } = useSession();
  const [values, setValues] = useState<Company>(company);
  const rename = useMutation(RENAME);
  const setZone = useMutation(SET_TIME_ZONE);
  const { name, timeZone } = values;
  const save = async (): Promise<void> => {
    if (name !== company.name && !(await rename.run({ name }))) return;
    if (timeZone !== company.timeZone && !(await setZone.run({ timeZone }))) return;
    notify({ text: text.saved });
    reload();
  };
  const errors = [...rename.errors, ...setZone.errors];
  return (
    <Form
      onSubmit={() => void save()}
      submit={text.save}
      isRunning={rename.isRunning || setZone.isRunning}
      failure={rename.failure ?? setZone.failure}
      errors={errors}
      shown={['name', 'timeZone']}
    >
      <Fields
        root={null}
        values={values}
        set={(changed) => setValues({ ...values, ...changed })}
        errors={errors}
        fields={[
          { name: 'name', label: text.name },
          {
            name: 'timeZone',
            label: text.zoneOfTerminals,
            help: text.timeZoneHelp,
            options: zoneOptions(timeZone),
          },
        ]}
      />
    </Form>
  );
}
