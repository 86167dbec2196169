{{- define "pergola.name" -}}
{{ .Release.Name | trunc 50 }}
{{- end }}

{{- define "pergola.selector" -}}
app.kubernetes.io/name: pergola
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "pergola.labels" -}}
{{ include "pergola.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "pergola.env" -}}
{{- if .Values.databaseUrlKey }}
- name: PERGOLA_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "pergola.secretName" . }}
      key: {{ .Values.databaseUrlKey | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "pergola.secretName" -}}
{{ required "existingSecret is the name of a Secret with databaseUrlKey and the keys of secretFiles" .Values.existingSecret }}
{{- end }}

{{- define "pergola.secrets" -}}
secretName: {{ include "pergola.secretName" . }}
defaultMode: 0440
items:
  {{- range .Values.secretFiles }}
  - { key: {{ . | quote }}, path: {{ . | quote }} }
  {{- end }}
{{- end }}
