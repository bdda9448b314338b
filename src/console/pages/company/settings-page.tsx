import type { ReactNode } from 'react';

import { mutations } from '../../api';
import { useMay, useSession } from '../../app/session';
import { SendForm } from '../../record/fields';
import { Facts } from '../../table/shown';
import { useTexts } from '../../text';
import { zonesWith } from '../../text/zone';
import { Card, Page } from '../../ui/page';
import { pageNames } from '../../ui/words';
import { useText } from './words';

/** Name and time zone of the company; administrators change them. */
export default function SettingsPage(): ReactNode {
  const text = useText();
  const names = useTexts(pageNames);
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
        fields={[{ name: 'name', initial: name }]}
        document={mutations.companyRename}
        submit={text.rename}
        onDone={reload}
      />
      <SendForm
        key={timeZone}
        root={null}
        fields={[{ name: 'timeZone', initial: timeZone, values: zonesWith(timeZone) }]}
        document={mutations.companySetTimeZone}
        submit={text.setTimeZone}
        onDone={reload}
      />
    </>
  );
  return (
    <Page name="settings" text={text}>
      <div className="cards">
        <Card title={names.company}>
          {mayAdminister ? forms : <Facts facts={['name', 'timeZone']} record={company} />}
        </Card>
      </div>
    </Page>
  );
}
