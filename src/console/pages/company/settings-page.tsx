import type { ReactNode } from 'react';

import { mutations } from '../../api';
import { useMay, useSession } from '../../app/session';
import { SendForm } from '../../record/fields';
import { zoneOptions } from '../../text/zone';
import { Facts, Section } from '../../ui/facts';
import { useText } from './words';

/** Name and time zone of the company; administrators change them. */
export default function SettingsPage(): ReactNode {
  const text = useText();
  const { viewer, reload } = useSession();
  const { company } = viewer;
  const mayAdminister = useMay('ADMIN');
  if (!company) return null;
  const { name, timeZone } = company;
  const forms = (
    <>
      <SendForm
        key={name}
        root={null}
        empty={{ name }}
        fields={[{ name: 'name', label: text.name }]}
        document={mutations.companyRename}
        submit={text.rename}
        onDone={reload}
      />
      <SendForm
        key={timeZone}
        root={null}
        empty={{ timeZone }}
        fields={[
          {
            name: 'timeZone',
            label: text.zoneOfTerminals,
            help: text.timeZoneHelp,
            options: zoneOptions(timeZone),
          },
        ]}
        document={mutations.companySetTimeZone}
        submit={text.setTimeZone}
        onDone={reload}
      />
    </>
  );
  const facts = [
    { name: text.name, value: name },
    { name: text.zoneOfTerminals, value: timeZone },
  ];
  return (
    <div className="page">
      <header className="page-header">
        <h1>{text.settings}</h1>
      </header>
      <div className="cards">
        <div className="card">
          <Section title={text.company}>{mayAdminister ? forms : <Facts facts={facts} />}</Section>
        </div>
      </div>
    </div>
  );
}
