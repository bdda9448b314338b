import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useTexts } from '../../text';
import { Dialog } from '../../ui/dialog';
import { Checkbox, TextInput } from '../../ui/field';
import { FileInput } from '../../ui/file-input';
import { errorAt, Form, useDraft } from '../../ui/form';
import { words } from './words';

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
  const text = useTexts(words);
  const navigate = useNavigate();
  const { values, set, clear } = useDraft(`version:${app.id}`, EMPTY);
  const [file, setFile] = useState<File | null>(null);
  const create = useMutation(CREATE, ['APP_VERSION', 'APP']);
  const submit = async (): Promise<void> => {
    const { posDisplayLabel } = values;
    const input = { ...values, posDisplayLabel: posDisplayLabel || null, appId: app.id };
    const payload = file
      ? await create.run({ input: { ...input, bytecodeFile: null } }, { path: 'input.bytecodeFile', file })
      : await create.run({ input });
    if (!payload?.appVersion) return;
    clear();
    onClose();
    void navigate({ to: '/app-versions', search: { open: payload.appVersion.id } });
  };
  return (
    <Dialog title={`${app.name}: ${text.addVersion}`} isOpen onClose={onClose}>
      <Form
        {...create}
        onSubmit={() => void submit()}
        onCancel={onClose}
        submit={text.addVersion}
        shown={['input.number', 'input.posDisplayLabel', 'input.bytecodeFile', 'input.bytecode']}
      >
        <TextInput
          label={text.number}
          help={text.numberHelp}
          autoFocus
          value={values.number}
          onChange={(number) => set({ number })}
          error={errorAt(create.errors, 'input', 'number')}
        />
        <FileInput
          label={text.bytecode}
          help={text.bytecodeHelp}
          file={file}
          onChange={setFile}
          progress={create.progress}
          error={
            errorAt(create.errors, 'input', 'bytecodeFile') ?? errorAt(create.errors, 'input', 'bytecode')
          }
        />
        <TextInput
          label={text.label}
          value={values.posDisplayLabel}
          onChange={(posDisplayLabel) => set({ posDisplayLabel })}
          error={errorAt(create.errors, 'input', 'posDisplayLabel')}
        />
        <Checkbox isSelected={values.displayable} onChange={(displayable) => set({ displayable })}>
          {text.displayable}
        </Checkbox>
      </Form>
    </Dialog>
  );
}

const EMPTY = { number: '', posDisplayLabel: '', displayable: true };
