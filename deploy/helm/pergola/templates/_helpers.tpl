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
