import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { CreateDialog } from '../../record/create-dialog';
import { errorAt } from '../../ui/form';
import { FileInput } from '../../ui/inputs';
import { useText } from './words';

const CREATE = graphql(`
  mutation AppVersionCreate($input: AppVersionCreateInput!) {
    appVersionCreate(input: $input) {
      appVersion { id }
      userErrors { code message path rule params }
    }
  }
`);

interface NewVersionProps {
  readonly app: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

/** Uploads the program of a new version, and opens it, from where it is released. */
export function NewVersion({ app, onClose }: NewVersionProps): ReactNode {
  const text = useText();
  const navigate = useNavigate();
  const [file, setFile] = useState<File | null>(null);
  return (
    <CreateDialog
      title={`${app.name}: ${text.addVersion}`}
      draft={`version:${app.id}`}
      empty={{ number: '', posDisplayLabel: '', displayable: true }}
      fields={[
        { name: 'number', label: text.number, help: text.numberHelp },
        { name: 'posDisplayLabel', label: text.label },
        { name: 'displayable', label: text.displayable, isFlag: true },
      ]}
      document={CREATE}
      changes={['APP_VERSION', 'APP']}
      variables={({ posDisplayLabel, ...rest }) => ({
        input: {
          ...rest,
          appId: app.id,
          posDisplayLabel: posDisplayLabel || null,
          ...(file && { bytecodeFile: null }),
        },
      })}
      attachment={file && { path: 'input.bytecodeFile', file }}
      submit={text.addVersion}
      onCreated={({ appVersion }) =>
        appVersion && void navigate({ to: '/app-versions', search: { open: appVersion.id } })
      }
      onClose={onClose}
    >
      {({ progress, errors }) => (
        <FileInput
          label={text.bytecode}
          help={text.bytecodeHelp}
          file={file}
          onChange={setFile}
          progress={progress}
          error={errorAt(errors, 'input', 'bytecodeFile')}
        />
      )}
    </CreateDialog>
  );
}
