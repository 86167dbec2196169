/** A model, as a file for `pergola apply`. */
export const todoModel = `
apiVersion: plugin.platform.run/v1alpha1
kind: Model
metadata: { name: todos-5d2iguhyje }
spec:
  group: todo.example.com
  kind: Todo
  singular: todo
  plural: todos
  versions:
    - name: v1alpha1
      schema:
        properties:
          spec:
            type: object
            required: [title]
            properties:
              title: { type: string, maxLength: 40 }
              state: { enum: [open, done], default: open }
              owner: { type: string }
              due: { type: string, format: date-time }
  indexes: [{ name: spec.state }, { name: spec.due }]
`

export function todo(name: string, spec: string, metadata = ''): string {
  return `---
apiVersion: todo.example.com/v1alpha1
kind: Todo
metadata:
  name: ${name}
${metadata}spec:
${spec.replaceAll(/^/gm, '  ')}
`
}
